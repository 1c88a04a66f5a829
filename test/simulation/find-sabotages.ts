import { describeViolation } from './report.ts';
import type { Sabotage, SabotagedCode } from './sabotage.ts';

/** Histories to try, from the first seed on. No fault may need more. */
const MOST_HISTORIES = 2_000;

/**
 * Simulates code with a fault, until a history breaks a promise that may reveal it.
 *
 * @returns the seed of that history.
 * @throws Error when none does, or when that history breaks a promise without the fault, too.
 */
export async function findSabotage(
  { name, breaks: promises, firstSeed = 1 }: Sabotage,
  code: SabotagedCode,
  histories = MOST_HISTORIES,
): Promise<number> {
  const found = await code.explore(name, {
    firstSeed,
    histories,
    limits: { maxShrinks: 0, promises },
  });
  const seed = firstSeed + found.histories - 1;
  if (found.violations.length === 0)
    throw new Error(`no history from seed ${firstSeed} to ${seed} breaks ${promises.join(' or ')}`);
  const limits = { maxShrinks: 0 };
  const without = await code.explore(undefined, { firstSeed: seed, histories: 1, limits });
  const [violation] = without.violations;
  if (violation !== undefined)
    throw new Error(`it needs no fault: ${describeViolation(violation)}`);
  return seed;
}

/**
 * Tries one fault after the other.
 *
 * @param code has all of them.
 * @param report is told of each that is not found, and of each that another seed than its `firstSeed` finds.
 * @returns how many there are, and how many were found.
 */
export async function findSabotages(
  sabotages: readonly Sabotage[],
  code: SabotagedCode,
  report: (line: string) => void,
  histories = MOST_HISTORIES,
): Promise<{ sabotages: number; found: number }> {
  let found = 0;
  for (const sabotage of sabotages) {
    const { name, firstSeed = 1 } = sabotage;
    try {
      const seed = await findSabotage(sabotage, code, histories);
      found += 1;
      if (seed !== firstSeed) report(`${name}: found by seed ${seed}, not by firstSeed`);
    } catch (error) {
      report(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { sabotages: sabotages.length, found };
}
