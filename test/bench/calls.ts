import type { Bench } from './bench.ts';
import { changedList } from './fixture/changed-list.ts';
import { pollOnce } from './fixture/poller.ts';

export const calls: Bench = {
  name: 'calls',
  rows: [
    {
      key: 'callsPerThousandChanges',
      definition:
        'Calls of table and topic, counted where the SDK takes them, of the whole run of page-chain, for each ' +
        "1,000 changed entities. The batch limits of AWS's interfaces allow 151.",
      goal: 155,
    },
  ],
  async measure(scale) {
    const { entities, table, topic, ports } = await changedList(scale === 'full' ? 50 : 1);
    await pollOnce(ports);
    const total = table.totalCalls + topic.calls;
    return { callsPerThousandChanges: (total / entities) * 1000 };
  },
};
