import { digestOf } from '../model/digest.ts';
import type { JsonObject, InvalidEntity } from '../model/entity.ts';
import type { Feed } from '../model/feed.ts';
import { invalidKey, type ObservedEntity } from './observed-entity.ts';
import { isAfter, parseTimestamp, type Timestamp } from '../model/timestamp.ts';

/** What a page shows. */
interface Shown<Entity extends { readonly seen: ObservedEntity }> {
  readonly entities: readonly Entity[];
  readonly invalid: readonly InvalidEntity[];
}

/**
 * Digest of what a list shows again on every poll once it is settled at the cursor: what changed
 * exactly then, if the service's filter is `>=`, and what cannot be worked with and has no timestamp.
 * Undefined when that is nothing.
 */
export function boundaryDigest<E extends { readonly seen: ObservedEntity }>(
  { entities, invalid }: Shown<E>,
  cursor: Timestamp,
): string | undefined {
  return digestOfAll({
    entities: entities.filter(({ seen }) => seen.version === cursor),
    invalid: invalid.filter((item) => [undefined, cursor].includes(timeOf(item))),
  });
}

/** A page without what its feed remembers as its boundary, if that is just as it was. */
export function skipBoundary<E extends { readonly seen: ObservedEntity }>(
  shown: Shown<E>,
  { boundary, cursor }: Feed,
): Shown<E> {
  // While a list is not settled its overlap is read again: that needs no digest.
  if (boundary === undefined) return shown;
  const isLater = (time: Timestamp | undefined): boolean =>
    time !== undefined && isAfter(time, cursor);
  const upTo = {
    entities: shown.entities.filter(({ seen }) => !isLater(seen.version)),
    invalid: shown.invalid.filter((item) => !isLater(timeOf(item))),
  };
  if (digestOfAll(upTo) !== boundary) return shown;
  return {
    entities: shown.entities.filter(({ seen }) => isLater(seen.version)),
    invalid: shown.invalid.filter((item) => isLater(timeOf(item))),
  };
}

/** Of keys, versions and nested lists: what is nested may differ although the parent was not touched. */
function digestOfAll({
  entities,
  invalid,
}: Shown<{ readonly seen: ObservedEntity }>): string | undefined {
  if (entities.length + invalid.length === 0) return undefined;
  const marks = [
    ...entities.map(({ seen }) => digestOf([seen.key, seen.version, seen.nested ?? {}])),
    ...invalid.map(invalidKey),
  ];
  return digestOf(marks.sort());
}

function timeOf({ value }: InvalidEntity): Timestamp | undefined {
  return parseTimestamp((value as JsonObject | null)?.['updated_at']);
}
