import { resultsApart } from './apart.ts';
import { costTable } from './cost.ts';
import { deliveryLines } from './cost/delivery-cost.ts';
import { monitoringLines } from './cost/monitoring-cost.ts';
import { measureWork } from './cost/work.ts';
import { HELP, parseOptions } from './options.ts';
import { comparePeer } from './peer.ts';
import { BENCHES, type Result } from './registry.ts';
import { costLines, peerLines, resultLines } from './report.ts';

/** Shows what is being measured, on standard error: a measurement may take minutes. */
function progress(step: string): void {
  console.error(`measuring ${step} …`);
}

/** What is printed besides the rows, when it is asked for. */
const TABLES: Readonly<Record<string, () => Promise<{ value: object; text: string }>>> = {
  async cost() {
    progress('the work of a run');
    const work = await measureWork('full');
    const lines = await costTable([10, 100, 1_000, 10_000], work, (projects, day) => {
      progress(`${projects.toLocaleString('en')} projects, ${day}`);
    });
    return {
      value: lines,
      text: `${costLines(lines)}\n\n${monitoringLines()}\n\n${deliveryLines()}`,
    };
  },
  async peer() {
    progress('Sitecast and a plain Lambda');
    const both = await comparePeer({ ours: 20, plain: 1 });
    return { value: both, text: peerLines(both) };
  },
};

async function main(): Promise<void> {
  const { name, json, help } = parseOptions(process.argv.slice(2));
  if (help) {
    console.log(HELP);
    return;
  }
  const figures: Record<string, unknown> = {};
  const chosen = BENCHES.filter((bench) => name === undefined || bench.name === name);
  let beside: Promise<Result[]> | undefined;
  for (const [index, bench] of chosen.entries()) {
    progress(chosen.length > 1 ? `${bench.name} (${index + 1} of ${chosen.length})` : bench.name);
    const results = beside ?? resultsApart(bench);
    const next = chosen[index + 1];
    beside = next?.isMeasuredBeside ? resultsApart(next) : undefined;
    for (const result of await results) {
      figures[result.row.key] = result.figure;
      if (!json) console.log(resultLines(result));
    }
  }
  const table = name === undefined ? undefined : TABLES[name];
  if (table !== undefined) {
    const { value, text } = await table();
    if (name !== undefined) figures[name] = value;
    if (!json) console.log(text);
  }
  if (json) console.log(JSON.stringify(figures));
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
});
