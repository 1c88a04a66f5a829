import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { exploreCrashPoints, exploreHistories, exploreMutants, type Seeds } from './campaign.ts';
import { describeViolation } from './explore.ts';

const LARGEST = 0x7fffffff;

const HELP = `npm run simulate -- [options]

Runs the notifier's core against a simulated service, table, topic and clock, through random
histories, and judges the outcome by invariants (test/simulation/README.md).

  --histories <n>  how many; default 3000, 1 with --seed, and 100 for each mutant
  --seed <n>       the seed of the first history; further seeds count up. Default: a new one
  --crash-points   instead: one rich history, in which a run dies at each of all its calls
  --mutants        instead: one deliberate fault after the other in a copy of the core
  --json           one JSON object on standard output, and nothing else
  -h, --help       this text

Ends with status 1 when an invariant is violated, or a mutant is not found: the seed and the
shortest history are on standard error. Status 2: the options are wrong, or the simulation failed.`;

const OPTIONS = {
  histories: { type: 'string' },
  seed: { type: 'string' },
  'crash-points': { type: 'boolean', default: false },
  mutants: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false, short: 'h' },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

/** Where the command writes, as the console does. */
export type Output = Pick<Console, 'log' | 'error' | 'table'>;

/**
 * Runs the command `npm run simulate`.
 *
 * @returns the exit status: 1 when an invariant is violated, or a mutant is not found.
 * @throws Error when the flags are wrong, or the simulation itself fails.
 */
export async function runSimulate(args: readonly string[], output: Output): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  if (values.help) {
    output.log(HELP);
    return 0;
  }
  if (values['crash-points'] && (values.mutants || values.seed || values.histories))
    throw new Error('--crash-points goes without --mutants, --seed and --histories');
  return values.mutants ? tryMutants(values, output) : tryHistories(values, output);
}

/** Simulates the code as it is. */
async function tryHistories(values: Values, output: Output): Promise<number> {
  const start = performance.now();
  const seeds = seedsOf(values, values.seed === undefined ? 3_000 : 1);
  const onProgress = (histories: number): void => {
    if (process.stderr.isTTY) process.stderr.write(`\r${histories} histories `);
  };
  const found = values['crash-points']
    ? await exploreCrashPoints(onProgress)
    : await exploreHistories(seeds, onProgress);
  if (process.stderr.isTTY) process.stderr.write('\n');
  for (const violation of found.violations) output.error(describeViolation(violation));
  const { histories, operations, faults, violations } = found;
  const summary = {
    ...(!values['crash-points'] && { firstSeed: seeds.firstSeed }),
    ...{ histories, operations, faults, violations: violations.length },
    seconds: Math.round((performance.now() - start) / 100) / 10,
  };
  if (values.json) output.log(JSON.stringify(summary));
  else output.table(summary);
  return violations.length > 0 ? 1 : 0;
}

/** Simulates one mutant after the other. */
async function tryMutants(values: Values, output: Output): Promise<number> {
  const seeds = seedsOf(values, 100);
  const results = await exploreMutants(seeds);
  if (values.json) output.log(JSON.stringify({ firstSeed: seeds.firstSeed, mutants: results }));
  else
    output.table(
      results.map(({ mutant, found, of, by }) => ({ mutant, found: `${found} of ${of}`, by })),
    );
  return results.some(({ found }) => found === 0) ? 1 : 0;
}

function seedsOf({ seed, histories }: Values, usual: number): Seeds {
  const total = histories === undefined ? usual : wholeNumber('histories', histories, 1, LARGEST);
  const last = LARGEST - total + 1;
  const firstSeed = seed === undefined ? randomInt(last) : wholeNumber('seed', seed, 0, last);
  return { firstSeed, histories: total };
}

/** Reads a whole number, or names the allowed ones. */
function wholeNumber(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new Error(`--${name} must be a whole number from ${min} to ${max}, got "${text}"`);
}

if (import.meta.main) {
  runSimulate(process.argv.slice(2), console).then(
    (status) => {
      process.exitCode = status;
    },
    (error: unknown) => {
      console.error(error instanceof Error ? error.message : error);
      process.exitCode = 2;
    },
  );
}
