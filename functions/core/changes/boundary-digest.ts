import type { InvalidEntity, JsonObject } from '../model/entity.ts';
import type { Feed } from '../model/feed.ts';
import { digestOf } from '../model/json/digest.ts';
import { isAfter, parseTimestamp, type Timestamp } from '../model/timestamp.ts';
import { invalidKey } from './invalid-entity.ts';
import { nestedDigests, type ObservedEntity } from './observed-entity.ts';

/** The contents of a page, observed. */
export interface ObservedPage {
  readonly entities: readonly ObservedEntity[];
  readonly invalid: readonly InvalidEntity[];
}

/**
 * Digest of everything that a caught-up list shows again on each poll: entities changed exactly at the
 * cursor, if the service's filter is `>=`, and invalid entities without a timestamp. Undefined when
 * there are none.
 */
export function boundaryDigest(
  { entities, invalid }: ObservedPage,
  cursor: Timestamp,
): string | undefined {
  return pageDigest({
    entities: entities.filter(({ version }) => version === cursor),
    invalid: invalid.filter((item) => [undefined, cursor].includes(timeOf(item))),
  });
}

/** The page without the entities that the feed's boundary digest covers, if they are unchanged. */
export function skipBoundary(page: ObservedPage, { boundary, cursor }: Feed): ObservedPage {
  if (boundary === undefined) return page;
  const isLater = (time: Timestamp | undefined): boolean =>
    time !== undefined && isAfter(time, cursor);
  const covered = {
    entities: page.entities.filter(({ version }) => !isLater(version)),
    invalid: page.invalid.filter((item) => !isLater(timeOf(item))),
  };
  if (pageDigest(covered) !== boundary) return page;
  return {
    entities: page.entities.filter(({ version }) => isLater(version)),
    invalid: page.invalid.filter((item) => isLater(timeOf(item))),
  };
}

/** Digest of entities, versions and nested lists; nested lists may differ although the parent did not change. */
function pageDigest({ entities, invalid }: ObservedPage): string | undefined {
  if (entities.length + invalid.length === 0) return undefined;
  const marks = [
    ...entities.map((entity) => digestOf([entity.key, entity.version, nestedDigests(entity)])),
    ...invalid.map(invalidKey),
  ];
  return digestOf(marks.sort());
}

function timeOf({ value }: InvalidEntity): Timestamp | undefined {
  return parseTimestamp((value as JsonObject | null)?.['updated_at']);
}
