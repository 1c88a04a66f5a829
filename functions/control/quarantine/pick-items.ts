import { RequestRefusedError } from '../control-error.ts';

/** Ids that a message lists. */
const MAX_IDS = 5;
/** Digits that people need of an id. */
const SHORT_LENGTH = 8;

/** There is no such item in the quarantine, or there are several. */
export class ItemUnknownError extends RequestRefusedError {
  override readonly name = 'ItemUnknownError';
}

/** What is picked by its id. */
interface Named {
  readonly id: string;
}

/**
 * The items with these ids, which may be cut.
 *
 * @throws ItemUnknownError for an id that no item has, or that several share.
 */
export function pickItems<T extends Named>(ids: readonly string[], items: readonly T[]): T[] {
  return [...new Set(ids.map((id) => pick(id, items)))];
}

function pick<T extends Named>(id: string, items: readonly T[]): T {
  const [item, ...others] = items.filter((each) => each.id.startsWith(id));
  if (item !== undefined && others.length === 0) return item;
  if (item !== undefined) {
    const names = shortIds([item, ...others], id.length + 4);
    throw new ItemUnknownError(`The id "${id}" is that of ${others.length + 1} items.`, {
      hint: `Name more of its digits: ${names}.`,
    });
  }
  const hint =
    items.length === 0 ? 'It is empty.' : `It has ${items.length}, for example ${shortIds(items)}.`;
  throw new ItemUnknownError(`There is no item "${id}" in the quarantine.`, { hint });
}

function shortIds(items: readonly Named[], length = SHORT_LENGTH): string {
  return items
    .slice(0, MAX_IDS)
    .map(({ id }) => `"${id.slice(0, length)}"`)
    .join(', ');
}
