import { median, type Bench } from './bench.ts';
import { changedList } from './fixture/changed-list.ts';
import { pollOnce } from './fixture/poller.ts';
import { after, exactlyAfter } from './fixture/sdk.ts';

/** Duration of a call, in milliseconds. */
export const LATENCY_MS = { service: 150, table: 8, topic: 20 };

/** Wall time of a run ÷ the time that the service alone needs for its pages. */
async function chainRatio(pages: number): Promise<number> {
  const { service, ports, entities } = await changedList(pages, {
    service: exactlyAfter(LATENCY_MS.service),
    table: after(LATENCY_MS.table),
    topic: after(LATENCY_MS.topic),
  });
  const start = performance.now();
  const summary = await pollOnce(ports);
  const wallMs = performance.now() - start;
  if (summary.events.updated !== entities) throw new Error('not every change became an event');
  return wallMs / (service.pages * LATENCY_MS.service);
}

export const pageChain: Bench = {
  name: 'page-chain',
  rows: [
    {
      key: 'pageChain',
      definition:
        'A list of 50 full pages of 1,000 entities (checklists of 425 bytes) that all changed; the service ' +
        'takes 150 ms a page, and each call of the SDK takes 8 ms for the table and 20 ms for the topic, ' +
        'without its serialisation: wall time of the run over ' +
        '50 x 150 ms, after a page to warm up. Median of three.',
      goal: 1.08,
    },
  ],
  async measure(scale) {
    const [times, pages] = scale === 'full' ? [3, 50] : [1, 1];
    const ratios: number[] = [];
    // Warms up: compiles the code.
    await chainRatio(1);
    for (let i = 0; i < times; i += 1) ratios.push(await chainRatio(pages));
    return { pageChain: median(ratios) };
  },
};
