import type { ChangeEvent, ClaimCheckEvent } from '../../../functions/core/contract/events.ts';
import type { RunSummary } from '../../../functions/core/run/run-summary.ts';
import { countOf, formatTable } from '../format.ts';

const ACTIONS = ['created', 'updated', 'deleted', 'restored'] as const;

/** Counts of a session, shown at its end. */
export class SessionTotals {
  /** Pages that the service answered. Without any it was never reached. */
  pageCount = 0;
  eventCount = 0;
  /** Runs that ended on their own, failed or not. */
  endedRunCount = 0;
  #failedCount = 0;
  readonly #counts = new Map<string, Record<string, number>>();
  readonly #ages: number[] = [];
  /** Milliseconds since 1970. */
  readonly #startedAt = Date.now();

  /** @param summary absent: the run failed. */
  addRun(summary?: RunSummary): void {
    this.endedRunCount += 1;
    if (summary) this.pageCount += summary.pages;
    else this.#failedCount += 1;
  }

  addEvent(event: ChangeEvent | ClaimCheckEvent): void {
    const [entity = '', action = ''] = event.type.split('.');
    const counts = this.#counts.get(entity) ?? {};
    counts[action] = (counts[action] ?? 0) + 1;
    this.#counts.set(entity, counts);
    this.eventCount += 1;
    // A baseline with `emit` and a replay publish old changes: nobody has waited for them.
    const changedAt = Date.parse(event.time);
    if (event.cause === 'poll' && changedAt >= this.#startedAt) {
      this.#ages.push(Math.max(Date.now() - changedAt, 0));
    }
  }

  format(durationMs: number): string {
    const failed = this.#failedCount > 0 ? ` (${this.#failedCount} failed)` : '';
    const runs = `${countOf(this.endedRunCount, 'run')}${failed}`;
    const counts = `${countOf(this.pageCount, 'page')} read, ${countOf(this.eventCount, 'event')}`;
    return [
      '',
      `${runs} in ${Math.round(durationMs / 1000)} s: ${counts}`,
      ...this.#table().map((line) => `  ${line}`),
      ...this.#formatAges(),
    ].join('\n');
  }

  #table(): string[] {
    const entities = [...this.#counts].sort(([a], [b]) => a.localeCompare(b));
    if (entities.length === 0) return [];
    return formatTable(
      entities.map(([entity, counts]) => ({
        '': entity,
        ...Object.fromEntries(ACTIONS.map((action) => [action, String(counts[action] ?? 0)])),
      })),
    );
  }

  #formatAges(): string[] {
    const ages = this.#ages.toSorted((a, b) => a - b);
    if (ages.length === 0) return [];
    const mean = ages.reduce((sum, age) => sum + age, 0) / ages.length;
    const p95 = ages[Math.ceil(ages.length * 0.95) - 1] ?? 0;
    const [meanText, p95Text] = [mean, p95].map((ms) => `${(ms / 1000).toFixed(1)} s`);
    return [`  from change to subscriber: mean ${meanText}, p95 ${p95Text}`];
  }
}
