import type { Random } from '../../../infra/local/simulator/world/random.ts';

/** The values in an order of chance. */
export function shuffle<T>(values: readonly T[], random: Random): T[] {
  return values
    .map((value) => ({ value, rank: random.bits() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ value }) => value);
}
