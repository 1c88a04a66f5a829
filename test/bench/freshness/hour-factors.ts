import { ChangeRates } from '../../../functions/core/schedule/change-rates.ts';

/** Of a day. */
export const HOURS = 24;
const HOUR_MS = 3_600_000;
/** The guess that an hour is as busy as all others counts as much as so many changes that were seen. */
const GUESS_WEIGHT = 2;
/** How fast the factors forget, as the table does. */
const MEMORY_MS = 2 * 86_400_000;

/** The hour of a time in milliseconds since 1970, UTC. */
export function hourOf(at: number): number {
  return Math.floor(at / HOUR_MS) % HOURS;
}

/** The table that ships, its rates times a learned factor of the hour, one for all feeds. */
export class HourFactors extends ChangeRates {
  readonly #now: () => number;
  readonly #changesIn = new Float64Array(HOURS);
  readonly #coveredIn = new Float64Array(HOURS);

  /** @param now milliseconds since 1970. */
  constructor(now: () => number) {
    super();
    this.#now = now;
  }

  override rates(): Float64Array {
    const factor = this.#factor();
    return super.rates().map((rate) => rate * factor);
  }

  override learn(kind: number, changes: number, coveredMs: number): void {
    // In an hour in which little happens, it says little of a kind that nothing was found.
    super.learn(kind, changes, coveredMs * this.#factor());
    const hour = hourOf(this.#now());
    this.#changesIn[hour] = (this.#changesIn[hour] ?? 0) + changes;
    this.#coveredIn[hour] = (this.#coveredIn[hour] ?? 0) + coveredMs;
  }

  override forget(elapsedMs: number): void {
    super.forget(elapsedMs);
    const left = Math.exp(-elapsedMs / MEMORY_MS);
    for (let hour = 0; hour < HOURS; hour += 1) {
      this.#changesIn[hour] = (this.#changesIn[hour] ?? 0) * left;
      this.#coveredIn[hour] = (this.#coveredIn[hour] ?? 0) * left;
    }
  }

  /** Changes in the time that polls in this hour covered, ÷ those in as much time of any hour. */
  #factor(): number {
    const hour = hourOf(this.#now());
    const observedMs = sumOf(this.#coveredIn);
    if (observedMs === 0) return 1;
    const mean = (sumOf(this.#changesIn) + GUESS_WEIGHT) / observedMs;
    const found = (this.#changesIn[hour] ?? 0) + GUESS_WEIGHT;
    return found / ((this.#coveredIn[hour] ?? 0) + GUESS_WEIGHT / mean) / mean;
  }
}

function sumOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0);
}
