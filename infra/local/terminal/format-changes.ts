import type { ChangeData } from '../../../functions/core/contract/events.ts';
import { clip } from './fit-text.ts';

/** Maximum characters of one value. */
const MAX_VALUE_LENGTH = 32;
/** Pairs of texts up to this length are shown whole. */
const SHORT_PAIR_LENGTH = 24;
/** Fields that change with every edit and tell little. */
const BOOKKEEPING = /_(at|id)$/;
const TIMESTAMP = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)/;

/** Formats changed fields as texts like `rotation: 90 → 180`, the most telling first. */
export function formatChanges({ changed, object, previous }: ChangeData): string[] {
  const isBookkeeping = (field: string): boolean => BOOKKEEPING.test(field);
  const ordered = [
    ...changed.filter((field) => !isBookkeeping(field)),
    ...changed.filter(isBookkeeping),
  ];
  return ordered.map((field) => {
    const values = previous && formatPair(previous[field], object[field]);
    return values === undefined ? field : `${field}: ${values}`;
  });
}

/**
 * Joins as many texts as fit the width, and counts the others: `rotation: 90 → 180  +2`. If not even one
 * fits, the first field is named without its values.
 */
export function fitChanges(texts: readonly string[], width: number): string {
  const [first = ''] = texts;
  const candidates = texts.map((_, index) => texts.slice(0, texts.length - index));
  for (const shown of [...candidates, [first.split(':', 1).join()]]) {
    const hidden = texts.length - shown.length;
    const line = [...shown, ...(hidden > 0 ? [`+${hidden}`] : [])].join('  ');
    if (line.length <= width) return line;
  }
  return clip(first, width);
}

/** `"Cellar" → "Basement"`; undefined for values that do not fit a line. */
function formatPair(old: unknown, current: unknown): string | undefined {
  if (typeof old === 'string' && typeof current === 'string') return formatTexts(old, current);
  const texts = [old, current].map((value) =>
    typeof value === 'string' ? shorten(value) : quote(value),
  );
  return texts.every((text) => text.length <= MAX_VALUE_LENGTH) ? texts.join(' → ') : undefined;
}

/** Shows of two texts what differs: the time or the day, what was added or removed, or both. */
function formatTexts(old: string, current: string): string {
  const [, oldDay, oldTime] = TIMESTAMP.exec(old) ?? [];
  const [, day, time] = TIMESTAMP.exec(current) ?? [];
  if (oldDay !== undefined && day !== undefined) {
    return oldDay === day ? `${oldTime} → ${time}` : `${oldDay} → ${day}`;
  }
  const show = (text: string): string => quote(clip(text, MAX_VALUE_LENGTH));
  if (old.length + current.length <= SHORT_PAIR_LENGTH) return `${show(old)} → ${show(current)}`;
  if (old !== '' && current.startsWith(old)) return `+ ${show(current.slice(old.length).trim())}`;
  if (current !== '' && old.startsWith(current)) {
    return `− ${show(old.slice(current.length).trim())}`;
  }
  return withoutCommonParts(old, current).map(show).join(' → ');
}

function shorten(text: string): string {
  const [, day, clock] = TIMESTAMP.exec(text) ?? [];
  return day === undefined ? quote(clip(text, MAX_VALUE_LENGTH - 2)) : `${day} ${clock ?? ''}`;
}

/** Replaces words that both texts begin or end with by an ellipsis; the last common word stays. */
function withoutCommonParts(a: string, b: string): string[] {
  const shortest = Math.min(a.length, b.length);
  let start = 0;
  while (start < shortest && a[start] === b[start]) start += 1;
  start = a.lastIndexOf(' ', start - 1) + 1;
  let end = 0;
  while (end < shortest - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const space = a.indexOf(' ', a.length - end);
  end = space === -1 ? 0 : a.length - space;
  return [a, b].map(
    (text) =>
      `${start > 0 ? '…' : ''}${text.slice(start, text.length - end)}${end > 0 ? ' …' : ''}`,
  );
}

/** Quotes as JSON, which escapes control characters and line breaks. */
export function quote(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}
