import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { exploreCrashPoints, exploreHistories, type CampaignOptions } from './campaign.ts';
import type { DimensionCounts } from './dimensions.ts';
import type { Exploration } from './exploration.ts';
import { describeViolation, summaryOf } from './report.ts';

const LARGEST = 0x7fffffff;
const MOST_WORKERS = 64;

const HELP = `npm run simulate -- [options]

Runs the notifier's core against a simulated service, table, topic and clock, through random
histories, and judges the outcome by the promises (docs/guarantees.md).

  --histories <n>  how many; default 2000, or 1 with --seed
  --seed <n>       the seed of the first history; further seeds count up. Default: a new one
  --embedded       on the embedded DynamoDB, SNS and SQS instead of those in memory
  --crash-points   instead: one rich history, in which a run dies at each of all its calls
  --sabotages      instead: one deliberate fault after the other in a copy of the core; each has to be
                   found in the 1000 histories from --seed on
  --workers <n>    threads; default: one for each core; --embedded has one
  --dimensions     also tells how many histories had each trait, fault and kind of change
  --json           one JSON object on standard output, and nothing else
  -h, --help       this text

Ends with status 1 when a promise is broken: the seed and the shortest history that breaks it are on
standard error. Status 2: the options are wrong, or the simulation itself failed. npm announces the
command on standard output; npm -s run simulate does not.`;

const OPTIONS = {
  histories: { type: 'string' },
  seed: { type: 'string' },
  embedded: { type: 'boolean', default: false },
  'crash-points': { type: 'boolean', default: false },
  sabotages: { type: 'boolean', default: false },
  workers: { type: 'string' },
  dimensions: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false, short: 'h' },
} as const;

/** What is simulated instead of random histories, and the flags that go with it. */
const MODES = { 'crash-points': ['workers', 'dimensions', 'json'], sabotages: ['seed', 'json'] };

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

/** Reads a whole number, or says what is allowed. */
function whole(name: string, text: string, min: number, max = LARGEST): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new Error(`--${name} must be a whole number from ${min} to ${max}, got "${text}"`);
}

/** The seed of the first of so many histories: the given one, or a new one. */
function firstSeedOf(seed: string | undefined, total: number): number {
  const last = LARGEST - total + 1;
  return seed === undefined ? randomInt(last) : whole('seed', seed, 0, last);
}

/** Explores what the options say. */
async function explored(values: Values): Promise<{ found: Exploration; firstSeed?: number }> {
  const { seed, histories = seed === undefined ? '2000' : '1', workers } = values;
  const options: CampaignOptions = {
    ...(workers !== undefined && { workers: whole('workers', workers, 1, MOST_WORKERS) }),
    onProgress: ({ histories: done }) => {
      if (process.stderr.isTTY) process.stderr.write(`\r${done} histories`);
    },
  };
  if (values['crash-points']) return { found: await exploreCrashPoints(options) };
  const total = whole('histories', histories, 1);
  const firstSeed = firstSeedOf(seed, total);
  // Loaded only where it is used: it brings the clients of AWS and the embedded services.
  const found = values.embedded
    ? await (
        await import('./embedded.ts')
      ).exploreEmbedded(Array.from({ length: total }, (_, i) => firstSeed + i))
    : await exploreHistories({ firstSeed, histories: total }, options);
  return { found, firstSeed };
}

function sorted(counts: DimensionCounts): DimensionCounts {
  return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => a.localeCompare(b)));
}

/** Where the command writes, as the console does. */
export type Output = Pick<Console, 'log' | 'error' | 'table'>;

/**
 * Runs the command `npm run simulate`.
 *
 * @param args its flags.
 * @returns the exit status: 1 when a promise is broken.
 * @throws Error when the flags are wrong, or the simulation itself fails.
 */
export async function runSimulate(args: readonly string[], output: Output): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  if (values.help) {
    output.log(HELP);
    return 0;
  }
  for (const [mode, allowed] of Object.entries(MODES)) {
    const given = Object.entries(values).flatMap(([name, value]) => (value ? name : []));
    const others = given.filter((name) => name !== mode && !allowed.includes(name));
    if (given.includes(mode) && others.length > 0)
      throw new Error(`--${mode} goes without --${others.join(' and --')}`);
  }
  return values.sabotages ? trySabotages(values, output) : tryHistories(values, output);
}

/** Simulates the code as it is. @returns the exit status. */
async function tryHistories(values: Values, output: Output): Promise<number> {
  const start = performance.now();
  const { found, firstSeed } = await explored(values);
  const seconds = Math.round((performance.now() - start) / 100) / 10;
  if (process.stderr.isTTY) process.stderr.write('\n');
  for (const violation of found.violations) output.error(describeViolation(violation));
  const summary = {
    ...summaryOf(found, seconds),
    ...(values.dimensions && values.json && { dimensions: found.dimensions }),
  };
  if (values.json) output.log(JSON.stringify(summary));
  else output.table({ ...(firstSeed !== undefined && { 'first seed': firstSeed }), ...summary });
  if (values.dimensions && !values.json) output.table(sorted(found.dimensions));
  return found.violations.length > 0 ? 1 : 0;
}

/** Simulates one fault after the other. @returns the exit status. */
async function trySabotages({ seed, json }: Values, output: Output): Promise<number> {
  // Loaded only where they are used: they bring the bundler and the compiler.
  const [{ findSabotages, MOST_HISTORIES }, { loadSabotages }, { SABOTAGES }] = await Promise.all([
    import('./find-sabotages.ts'),
    import('./sabotage.ts'),
    import('./sabotages.ts'),
  ]);
  const search = { firstSeed: firstSeedOf(seed, MOST_HISTORIES) };
  const code = await loadSabotages(SABOTAGES);
  const report = (line: string): void => {
    output.error(line);
  };
  try {
    const summary = { ...search, ...(await findSabotages(SABOTAGES, code, search, report)) };
    if (json) output.log(JSON.stringify(summary));
    else output.table(summary);
    return summary.found < summary.sabotages ? 1 : 0;
  } finally {
    await code.remove();
  }
}
