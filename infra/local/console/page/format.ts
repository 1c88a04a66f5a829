import { clip } from '../../../cli/format.ts';

export { clip, countOf, mostUsefulFirst } from '../../../cli/format.ts';

/** A value of a field, as JSON if it is no text. The rest of a long one may be megabytes. */
export function showValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  return clip(typeof value === 'string' ? `“${value}”` : JSON.stringify(value), 300);
}

export function showSeconds(milliseconds: number): string {
  const seconds = Math.max(milliseconds, 0) / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  return seconds < 120 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
}

export function showTime(time: number | string): string {
  return new Date(time).toLocaleTimeString('en-GB');
}

export function showCount(count: number): string {
  return count.toLocaleString('en');
}
