import { parseArgs } from 'node:util';
import { BENCHES, measureApart } from './benches.ts';
import { monthsTable } from './cost/month.ts';
import { figureTable, type Figures } from './figures.ts';

const NAMES = Object.keys(BENCHES);

const HELP = `npm run bench -- [name …] [--json]

Measures the figures of the project against their goals: all of them in some minutes, or by name:
${NAMES.join(', ')}.
months prints what a month costs, by the number of projects, for the docs.

  --json      one JSON object on standard output (npm -s run bench keeps npm quiet)
  -h, --help  this text

Ends with status 0 whatever the figures: a busy machine is no fault.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

async function main(): Promise<void> {
  if (values.help) {
    console.log(HELP);
    return;
  }
  if (positionals.includes('months')) {
    console.log(await monthsTable());
    return;
  }
  const unknown = positionals.filter((name) => !NAMES.includes(name));
  if (unknown.length > 0) throw new Error(`No benchmark ${unknown.join(', ')}.\n\n${HELP}`);
  let figures: Figures = {};
  for (const name of positionals.length > 0 ? positionals : NAMES) {
    console.error(`measuring ${name} …`);
    figures = { ...figures, ...(await measureApart(name)) };
  }
  console.log(values.json ? JSON.stringify(figures) : figureTable(figures));
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
});
