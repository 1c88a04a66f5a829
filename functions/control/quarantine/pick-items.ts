import type { QueuedItem, Received } from '../../core/ports/quarantine-queue.ts';
import { RequestRefusedError } from '../control-error.ts';

/** Ids that a message lists. */
const MAX_IDS = 5;
/** Digits that people need of an id. */
const SHORT_LENGTH = 8;

/** There is no such item in the quarantine, or there are several. */
export class ItemUnknownError extends RequestRefusedError {
  override readonly name = 'ItemUnknownError';
}

/**
 * The items with these ids, which may be cut.
 *
 * @throws ItemUnknownError for an id that no item has, or that several share.
 */
export function pickItems(ids: readonly string[], received: Received): QueuedItem[] {
  return [...new Set(ids.map((id) => pick(id, received)))];
}

function pick(id: string, { items, isComplete, hiddenCount }: Received): QueuedItem {
  const [item, ...others] = items.filter((each) => each.id.startsWith(id));
  if (item !== undefined && others.length === 0) return item;
  if (item !== undefined) {
    const names = shortIds([item, ...others], id.length + 4);
    throw new ItemUnknownError(`The id "${id}" is that of ${others.length + 1} items.`, {
      hint: `Name more of its digits: ${names}.`,
    });
  }
  throw new ItemUnknownError(`There is no item "${id}" in the quarantine.`, {
    hint: [
      items.length === 0
        ? 'It is empty.'
        : `It has ${items.length}, for example ${shortIds(items)}.`,
      ...(hiddenCount > 0
        ? [`Somebody else is reading about ${hiddenCount}: try again in two minutes.`]
        : []),
      ...(isComplete ? [] : ['There may be more: only the first were looked at.']),
    ].join(' '),
  });
}

function shortIds(items: readonly QueuedItem[], length = SHORT_LENGTH): string {
  return items
    .slice(0, MAX_IDS)
    .map(({ id }) => `"${id.slice(0, length)}"`)
    .join(', ');
}
