import { type Verdict } from './diff.ts';
import { type Known, type Announcement } from '../model/entity-state.ts';
import { type Identity, type Seen } from './observed-entity.ts';
import { parseTimestamp } from '../model/timestamp.ts';
import { type Change } from '../model/change.ts';

/**
 * What a verdict comes to before its event is published, for an entity whose change may not be seen
 * again: after a crash the page may come back without it.
 */
export function announce({ change, known }: Verdict): Known[] {
  if (change === undefined || known === undefined) return [];
  const { action, changed, previous } = change;
  return [{ ...known, announced: { action, changed, ...(previous && { previous }) } }];
}

/**
 * The verdict that was announced, once more: the same event, byte by byte, and what to save after it.
 *
 * @param seen where it is now: shows the content if that was too large to keep and is still the same.
 */
export function asAnnounced(
  { announced, ...known }: Known & { readonly announced: Announcement },
  identity: Omit<Identity, 'key'>,
  seen?: Seen,
): Required<Verdict> {
  const isSame = seen?.version === known.version;
  const object = known.content ?? (isSame ? seen.object : { id: identity.id });
  const deletedAt = known.missing ? undefined : parseTimestamp(object['deleted_at']);
  const isDeleted = announced.action === 'deleted';
  const change: Change = {
    entity: identity.entity,
    id: identity.id,
    subject: identity.subject,
    time: isDeleted ? (deletedAt ?? known.sequence) : known.version,
    sequence: known.sequence,
    object,
    ...announced,
  };
  return { change, known };
}
