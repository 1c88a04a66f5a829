import { expect, it, onTestFinished } from 'vitest';
import { startTestStack } from './stack.ts';
import { startThrottledTable, type ThrottledTable } from './throttled-table.ts';

const PROJECTS = 2;
const FLOORPLANS = 1_000;
/** It takes some 15 seconds by itself, and longer on a busy machine. */
const TIMES = { timeout: 120_000 };

it(
  'a first run finishes at the rates of a new table, which throttles whole batches',
  TIMES,
  async () => {
    const tables: ThrottledTable[] = [];
    const stack = await startTestStack(
      {},
      {
        endpointsOfFunction: async (endpoints) => {
          const table = await startThrottledTable(endpoints.dynamodb);
          tables.push(table);
          return { ...endpoints, dynamodb: table.url };
        },
      },
    );
    onTestFinished(async () => {
      await stack.close();
      await tables[0]?.close();
    });
    const { projects, floorplans } = stack.service.world;
    for (let p = 0; p < PROJECTS; p += 1) {
      const { id } = projects.create({ name: `Project ${p}` });
      for (let f = 0; f < FLOORPLANS; f += 1) floorplans.create(id, { name: `Level ${f}` });
    }
    const summary = await stack.invoke();
    expect(summary).toMatchObject({ failing: 0, stoppedEarly: false });
    expect(summary.entities).toBeGreaterThan(PROJECTS * FLOORPLANS);
    expect(tables[0]?.counts.taken).toBeGreaterThan(PROJECTS * FLOORPLANS);
    expect(tables[0]?.counts.throttled).toBeGreaterThan(FLOORPLANS);
    expect(stack.logs.filter((line) => line.includes('"level":"ERROR"'))).toEqual([]);
  },
);
