import type { ChangeEvent, ClaimCheckEvent } from '../../../functions/core/contract/events.ts';
import type { RunSummary } from '../../../functions/core/run/run-summary.ts';
import { countOf } from '../../count-of.ts';

const ACTIONS = ['created', 'updated', 'deleted', 'restored'] as const;
const COLUMN = 9;

/** Counts of a session, shown at its end. */
export class SessionTotals {
  readonly #counts = new Map<string, Record<string, number>>();
  readonly #ages: number[] = [];
  readonly #deliveries = new Map<string, number>();
  readonly #startedAt: number;
  #eventCount = 0;
  #runCount = 0;
  #failedCount = 0;
  #pageCount = 0;

  /** @param startedAt start of the session, milliseconds since 1970. */
  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  /** @param summary absent: the run failed. */
  addRun(summary?: RunSummary): void {
    this.#runCount += 1;
    if (summary) this.#pageCount += summary.pages;
    else this.#failedCount += 1;
  }

  /** @param receivedAt milliseconds since 1970. */
  addEvent(event: ChangeEvent | ClaimCheckEvent, receivedAt: number): void {
    const [entity = '', action = ''] = event.type.split('.');
    const counts = this.#counts.get(entity) ?? {};
    counts[action] = (counts[action] ?? 0) + 1;
    this.#counts.set(entity, counts);
    this.#eventCount += 1;
    // A baseline with `emit` and a replay tell what is older: nobody has waited for that.
    const changedAt = Date.parse(event.time);
    if (event.cause !== 'poll' || changedAt < this.#startedAt) return;
    this.#ages.push(Math.max(receivedAt - changedAt, 0));
  }

  /** Counts what declared subscribers received. */
  addDeliveries(subscriber: string, count: number): void {
    this.#deliveries.set(subscriber, (this.#deliveries.get(subscriber) ?? 0) + count);
  }

  /** Pages that the service answered. Without any it was never reached. */
  get pageCount(): number {
    return this.#pageCount;
  }

  /** Also those of runs that were killed, whose pages nobody knows. */
  get eventCount(): number {
    return this.#eventCount;
  }

  /** Runs that ended on their own, failed or not. */
  get endedRunCount(): number {
    return this.#runCount;
  }

  /** Formats the totals in lines of at most 60 characters, if names are not very long. */
  format(durationMs: number): string {
    const failed = this.#failedCount > 0 ? ` (${this.#failedCount} failed)` : '';
    const runs = countOf(this.#runCount, 'run');
    const head = `${runs}${failed} in ${Math.round(durationMs / 1000)} s: ${countOf(this.#pageCount, 'page')} read, ${countOf(this.#eventCount, 'event')}`;
    return ['', head, ...this.#table(), ...this.#formatAges(), ...this.#formatDeliveries()].join(
      '\n',
    );
  }

  #table(): string[] {
    const entities = [...this.#counts].sort(([a], [b]) => a.localeCompare(b));
    if (entities.length === 0) return [];
    const width = Math.max(...entities.map(([entity]) => entity.length));
    const line = (name: string, cells: readonly (string | number)[]): string =>
      `  ${name.padEnd(width)}${cells.map((cell) => String(cell).padStart(COLUMN)).join('')}`;
    return [
      line('', ACTIONS),
      ...entities.map(([entity, counts]) =>
        line(
          entity,
          ACTIONS.map((action) => counts[action] ?? 0),
        ),
      ),
    ];
  }

  #formatAges(): string[] {
    const ages = this.#ages.toSorted((a, b) => a - b);
    if (ages.length === 0) return [];
    const mean = ages.reduce((sum, age) => sum + age, 0) / ages.length;
    const p95 = ages[Math.ceil(ages.length * 0.95) - 1] ?? 0;
    return [`  from change to subscriber: mean ${seconds(mean)}, p95 ${seconds(p95)}`];
  }

  #formatDeliveries(): string[] {
    return [...this.#deliveries].map(
      ([name, count]) => `  ${name} received ${countOf(count, 'event')}`,
    );
  }
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
