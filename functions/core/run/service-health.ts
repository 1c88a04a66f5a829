import { causeOf, isRefusal } from '../feeds/health.ts';
import { ServiceError, type FeedError } from '../model/errors.ts';
import { resourceKeyOf } from '../model/feed.ts';
import type { Outage } from '../schedule/note.ts';

/** Lists of a resource that fail in a row before its polling ends. */
const MAX_FAILURES_IN_A_ROW = 5;

/**
 * The health of the service, by the polls of a run.
 *
 * - Five failures in a row of one resource, or of all its due lists if there are fewer, end its
 *   polling for this run. So a broken endpoint costs a handful of requests, and stops no other.
 * - A run in which service or network failed and nothing was read is an outage. It ends with the
 *   first run that reads a page or is refused.
 *
 * A refusal (403, 404) or a 429 is no failure of the service.
 */
export class ServiceHealth {
  /** The outage in the note of the last run. */
  readonly outageBefore: Outage | undefined;
  /** Due lists, by resource. */
  readonly #dueCounts = new Map<string, number>();
  /** Failures in a row, by resource. */
  readonly #failures = new Map<string, number>();
  /** Resources whose polling has ended. */
  readonly #ended = new Set<string>();
  #hasRead = false;
  #wasRefused = false;
  #lastFailure: FeedError | undefined;

  constructor(outageBefore: Outage | undefined) {
    this.outageBefore = outageBefore;
  }

  /** Whether the run has read a page. */
  get hasRead(): boolean {
    return this.#hasRead;
  }

  /** The last failure of the service or the network. */
  get lastFailure(): FeedError | undefined {
    return this.#lastFailure;
  }

  /** Number of resources whose polling has ended. */
  get endedCount(): number {
    return this.#ended.size;
  }

  /** Whether the polling of a list's resource has ended. */
  hasEnded(id: string): boolean {
    return this.#ended.has(resourceKeyOf(id));
  }

  /** Notes lists that are due. */
  noteDue(ids: readonly string[]): void {
    for (const key of ids.map(resourceKeyOf)) increment(this.#dueCounts, key);
  }

  /** Notes that a page of a list was read. */
  noteRead(id: string): void {
    this.#hasRead = true;
    this.#failures.delete(resourceKeyOf(id));
  }

  /** Notes that a list could not be read. */
  noteFailure(id: string, error: FeedError): void {
    if (isRefusal(error) || isLimit(error)) {
      this.#wasRefused = true;
      return;
    }
    this.#lastFailure = error;
    const key = resourceKeyOf(id);
    const dueCount = this.#dueCounts.get(key) ?? 0;
    const failures = increment(this.#failures, key);
    if (failures >= Math.min(MAX_FAILURES_IN_A_ROW, dueCount)) this.#ended.add(key);
  }

  /**
   * The outage at the end of the run, if there is one. Without any answer, the outage of the last
   * run stays.
   */
  outage(now: number): Outage | undefined {
    if (this.#hasRead) return undefined;
    if (this.#lastFailure !== undefined) {
      return { since: this.outageBefore?.since ?? now, cause: causeOf(this.#lastFailure) };
    }
    return this.#wasRefused ? undefined : this.outageBefore;
  }
}

function isLimit(error: FeedError): boolean {
  return error instanceof ServiceError && error.status === 429;
}

function increment(counts: Map<string, number>, key: string): number {
  const count = (counts.get(key) ?? 0) + 1;
  counts.set(key, count);
  return count;
}
