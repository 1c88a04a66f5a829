import { describeViolation } from './report.ts';
import type { Sabotage, SabotagedCode } from './sabotage.ts';

/** Fresh histories in which a fault has to be found. */
export const MOST_HISTORIES = 1_000;

/** The histories in which faults are looked for. */
export interface Search {
  /** The seed of the first history; further seeds count up. */
  readonly firstSeed: number;
  /** Default: a thousand. */
  readonly histories?: number;
}

/**
 * Simulates code with a fault, until a history breaks a promise that may reveal it.
 *
 * @returns how many histories it took.
 * @throws Error when none does, or when that history breaks a promise without the fault, too.
 */
export async function findSabotage(
  { name, breaks: promises }: Sabotage,
  code: SabotagedCode,
  { firstSeed, histories = MOST_HISTORIES }: Search,
): Promise<number> {
  const limits = { maxShrinks: 0 };
  const found = await code.explore(name, {
    firstSeed,
    histories,
    limits: { ...limits, promises },
  });
  const seed = firstSeed + found.histories - 1;
  if (found.violations.length === 0)
    throw new Error(`no history from seed ${firstSeed} to ${seed} breaks ${promises.join(' or ')}`);
  const without = await code.explore(undefined, { firstSeed: seed, histories: 1, limits });
  const [violation] = without.violations;
  if (violation !== undefined)
    throw new Error(`it needs no fault: ${describeViolation(violation)}`);
  return found.histories;
}

/**
 * Tries one fault after the other.
 *
 * @param code has all of them.
 * @param report is given a line for each: in which history it was found, or why not.
 * @returns how many there are, and how many were found.
 */
export async function findSabotages(
  sabotages: readonly Sabotage[],
  code: SabotagedCode,
  search: Search,
  report: (line: string) => void,
): Promise<{ sabotages: number; found: number }> {
  let found = 0;
  for (const sabotage of sabotages) {
    try {
      report(`${sabotage.name}: history ${await findSabotage(sabotage, code, search)}`);
      found += 1;
    } catch (error) {
      report(`${sabotage.name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { sabotages: sabotages.length, found };
}
