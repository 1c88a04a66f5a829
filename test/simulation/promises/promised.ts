import type { Outcome } from '../world.ts';

/** Judges an outcome: yields a sentence for each breach. Its name is the promise. */
export type Promised = (outcome: Outcome) => Iterable<string>;
