/** Characters of a name or a value that are shown; the rest may be megabytes. */
const MAX_SHOWN = 300;

/** Cuts a text to what a reader reads. */
export function clip(text: string, length = MAX_SHOWN): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}

/** A value of a field, as JSON if it is no text. */
export function showValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  return clip(typeof value === 'string' ? `“${value}”` : JSON.stringify(value));
}

export function showSeconds(milliseconds: number): string {
  const seconds = Math.max(milliseconds, 0) / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3600)} h`;
}

/** The time of day. */
export function showTime(time: number | string): string {
  return new Date(time).toLocaleTimeString('en-GB');
}

export function showCount(count: number): string {
  return count.toLocaleString('en');
}

/** `template_checklist` → `template checklist`. */
export function toWords(name: string): string {
  return name.replaceAll('_', ' ');
}

/** `1 event`, `2 events`. */
export function countOf(count: number, noun: string): string {
  return `${showCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}
