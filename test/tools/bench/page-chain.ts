import { pollOnce } from '../../support/as-deployed.ts';
import type { Figures, Scale } from './figures.ts';
import { adaptersOf } from './fixture/aws.ts';
import { after, exactlyAfter, LATENCY_MS } from './fixture/calls.ts';
import { CHECKLISTS, feedsAfter, knownChecklist } from './fixture/checklists.ts';
import { localApi } from './fixture/service.ts';
import { SimulatedTable } from './fixture/table.ts';
import { SimulatedTopic } from './fixture/topic.ts';
import { median } from './measure.ts';

/**
 * Polls a list of full pages of 1,000 checklists that all changed: wall time over what the service
 * alone takes, and the calls that the SDK's clients are asked for.
 */
export async function measurePageChain(scale: Scale): Promise<Figures> {
  const [times, pages] = scale === 'full' ? [5, 50] : [1, 1];
  // Compiles the code, and makes the pages.
  await pollChain(pages);
  const all: Awaited<ReturnType<typeof pollChain>>[] = [];
  for (let i = 0; i < times; i += 1) all.push(await pollChain(pages));
  return {
    pageChain: median(all.map(({ ratio }) => ratio)),
    callsPerThousandChanges: all[0]?.calls ?? NaN,
  };
}

async function pollChain(pages: number) {
  // Each page but the first repeats an entity.
  const entities = pages * 999 + 1;
  const [table, topic] = [new SimulatedTable(), new SimulatedTopic(after(LATENCY_MS.topic))];
  const adapters = await adaptersOf(table, topic, feedsAfter(0));
  const known = Array.from({ length: entities }, (_, i) => knownChecklist(i, 0));
  await adapters.store.saveStates(CHECKLISTS.slice(1), known);
  table.resetCounts();
  table.latency = after(LATENCY_MS.table);
  const api = localApi({ entities, generation: 1 }, exactlyAfter(LATENCY_MS.service));
  const start = performance.now();
  const summary = await pollOnce({ api, ...adapters });
  const wallMs = performance.now() - start;
  if (summary.events.updated !== entities) throw new Error('not every change became an event');
  return {
    ratio: wallMs / (pages * LATENCY_MS.service),
    calls: ((table.totalCalls + topic.calls) / entities) * 1000,
  };
}
