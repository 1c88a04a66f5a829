import { digestOf } from '../model/json/digest.ts';
import type { ObservedPage } from './observe.ts';

/**
 * Digest of a page: ids, versions and nested lists, in any order. A list that shows it again needs
 * no read of its states.
 *
 * @returns undefined for an empty page, which keeps idle feeds small, and beside an invalid entity,
 *   which an operator may retry.
 */
export function pageDigest({ entities, invalid }: ObservedPage): string | undefined {
  const lists = entities.flatMap((entity) => entity.lists);
  if (entities.length === 0) return undefined;
  const isValid = invalid.length === 0 && lists.every(({ digest }) => digest !== undefined);
  if (!isValid) return undefined;
  const marks = entities.map(({ key, version, lists: nested }) =>
    [key, version, ...nested.map(({ resource, digest }) => `${resource.name} ${digest}`)].join(' '),
  );
  return digestOf(marks.sort());
}
