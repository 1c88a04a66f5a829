import { digestOf } from '../model/json/digest.ts';
import type { ObservedPage } from './observe.ts';

/**
 * Digest of a page: ids, versions and nested lists, in any order. A list that shows it again needs
 * no read of its states.
 *
 * @returns undefined of an empty page, since idle feeds are kept small, and beside anything
 *   invalid, which an operator may have read again.
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
