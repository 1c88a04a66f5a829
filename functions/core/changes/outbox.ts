import { type Diff } from './diff.ts';
import { type EntityState, type PendingEvent } from '../model/entity-state.ts';
import { type Identity, type ObservedEntity } from './observed-entity.ts';
import { parseTimestamp } from '../model/timestamp.ts';
import { type Change } from '../model/change.ts';

/**
 * What a verdict comes to before its event is published, for an entity whose change may not be seen
 * again: after a crash the page may come back without it.
 */
export function addToOutbox({ change, known }: Diff): EntityState[] {
  if (change === undefined || known === undefined) return [];
  const { action, changed, previous } = change;
  return [{ ...known, pendingEvent: { action, changed, ...(previous && { previous }) } }];
}

/**
 * The verdict that was announced, once more: the same event, byte by byte, and what to save after it.
 *
 * @param seen where it is now: shows the content if that was too large to keep and is still the same.
 */
export function replayFromOutbox(
  { pendingEvent, ...known }: EntityState & { readonly pendingEvent: PendingEvent },
  identity: Omit<Identity, 'key'>,
  seen?: ObservedEntity,
): Required<Diff> {
  const isSame = seen?.version === known.version;
  const object = known.content ?? (isSame ? seen.object : { id: identity.id });
  const deletedAt = known.missing ? undefined : parseTimestamp(object['deleted_at']);
  const isDeleted = pendingEvent.action === 'deleted';
  const change: Change = {
    entity: identity.entity,
    id: identity.id,
    subject: identity.subject,
    time: isDeleted ? (deletedAt ?? known.sequence) : known.version,
    sequence: known.sequence,
    object,
    ...pendingEvent,
  };
  return { change, known };
}
