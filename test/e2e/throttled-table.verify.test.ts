import { expect, it, onTestFinished } from 'vitest';
import { startProxiedStack } from './stack.ts';
import { startThrottledTable } from './throttled-table.ts';

const PROJECTS = 2;
const FLOORPLANS = 500;
/** It takes some 15 seconds by itself, and longer on a busy machine. */
const TIMES = { timeout: 120_000 };

it(
  'a first run finishes at the rates of a new table, which throttles whole batches',
  TIMES,
  async () => {
    const stack = await startProxiedStack('dynamodb', startThrottledTable);
    onTestFinished(() => stack.close());
    const { projects, floorplans } = stack.service.world;
    for (let p = 0; p < PROJECTS; p += 1) {
      const { id } = projects.create({ name: `Project ${p}` });
      for (let f = 0; f < FLOORPLANS; f += 1) floorplans.create(id, { name: `Level ${f}` });
    }
    const summary = await stack.invoke();
    expect(summary).toMatchObject({ waiting: 0, stoppedEarly: false });
    expect(summary.entities).toBeGreaterThan(PROJECTS * FLOORPLANS);
    expect(stack.proxy.counts.taken).toBeGreaterThan(PROJECTS * FLOORPLANS);
    expect(stack.proxy.counts.throttled).toBeGreaterThan(FLOORPLANS);
    expect(stack.logs.filter((line) => line.includes('"level":"ERROR"'))).toEqual([]);
  },
);
