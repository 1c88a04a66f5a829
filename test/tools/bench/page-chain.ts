import type { Figures, Scale } from './figures.ts';
import { after, exactlyAfter } from './fixture/calls.ts';
import { changedList } from './fixture/changed-list.ts';
import { LATENCY_MS } from './fixture/defaults.ts';
import { pollOnce } from './fixture/poller.ts';
import { median } from './measure.ts';

/**
 * Polls a list of full pages of 1,000 checklists that all changed: wall time over what the service
 * alone takes, and the calls that the SDK's clients are asked for.
 */
export async function measurePageChain(scale: Scale): Promise<Figures> {
  const [times, pages] = scale === 'full' ? [5, 50] : [1, 1];
  // Compiles the code.
  await pollChain(1);
  const all: Awaited<ReturnType<typeof pollChain>>[] = [];
  for (let i = 0; i < times; i += 1) all.push(await pollChain(pages));
  return {
    pageChain: median(all.map(({ ratio }) => ratio)),
    callsPerThousandChanges: all[0]?.calls ?? NaN,
  };
}

async function pollChain(pages: number) {
  const { service, table, topic, ports, entities } = await changedList(pages, {
    service: exactlyAfter(LATENCY_MS.service),
    table: after(LATENCY_MS.table),
    topic: after(LATENCY_MS.topic),
  });
  const start = performance.now();
  const summary = await pollOnce(ports);
  const wallMs = performance.now() - start;
  if (summary.events.updated !== entities) throw new Error('not every change became an event');
  return {
    ratio: wallMs / (service.pages * LATENCY_MS.service),
    calls: ((table.totalCalls + topic.calls) / entities) * 1000,
  };
}
