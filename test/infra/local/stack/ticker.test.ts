import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import {
  makeScheduledEvent,
  parseRate,
  startTicker,
} from '../../../../infra/local/stack/ticker.ts';

describe('parseRate', () => {
  it.each([
    ['rate(1 minute)', 60],
    ['rate(5 minutes)', 300],
    ['rate(2 hours)', 7200],
    ['rate(1 day)', 86_400],
  ])('reads %s as %d seconds', (expression, seconds) => {
    expect(parseRate(expression)).toBe(seconds);
  });

  it.each(['cron(0 12 * * ? *)', 'rate(5)', 'at(2026-01-01T00:00:00)'])(
    'says that %s is not run locally',
    (expression) => {
      expect(() => parseRate(expression)).toThrow(
        `ScheduleExpression is "${expression}"; the local stack supports rate(`,
      );
    },
  );
});

describe('eventOf', () => {
  const schedule = { name: 'Tick', expression: 'rate(1 minute)', targetArn: 'arn' };

  it('sends the input that the template gives', () => {
    expect(makeScheduledEvent({ ...schedule, input: '{"shard":"0"}' }, new Date())).toEqual({
      shard: '0',
    });
  });

  it('sends what Scheduler sends when the template gives no input', () => {
    const now = new Date('2026-05-04T10:00:00.000Z');
    expect(makeScheduledEvent(schedule, now)).toMatchObject({
      source: 'aws.scheduler',
      time: '2026-05-04T10:00:00.000Z',
    });
  });
});

describe('startTicker', () => {
  it('does the work now and at every tick', async () => {
    const work = vi.fn(() => Promise.resolve());
    const ticker = startTicker(1, work);
    expect(work).toHaveBeenCalledTimes(1);
    await vi.waitFor(() => {
      expect(work.mock.calls.length).toBeGreaterThan(3);
    });
    await ticker.stop();
  });

  it('skips ticks while the work is going', async () => {
    const gates: PromiseWithResolvers<undefined>[] = [];
    const ticker = startTicker(1, () => {
      const gate = Promise.withResolvers<undefined>();
      gates.push(gate);
      return gate.promise;
    });
    await ticks(5);
    expect(gates).toHaveLength(1);
    gates[0]?.resolve(undefined);
    await vi.waitFor(() => {
      expect(gates).toHaveLength(2);
    });
    gates[1]?.resolve(undefined);
    await ticker.stop();
  });

  it('stops after the work that is going, and does no more', async () => {
    const gate = Promise.withResolvers<undefined>();
    const work = vi.fn(() => gate.promise);
    const ticker = startTicker(1, work);
    const stopped = vi.fn();
    const stopping = ticker.stop().then(stopped);
    await ticks(3);
    expect(stopped).not.toHaveBeenCalled();
    gate.resolve(undefined);
    await stopping;
    await ticks(3);
    expect(work).toHaveBeenCalledTimes(1);
  });
});

/** Lets so many milliseconds' worth of timers run. */
async function ticks(count: number): Promise<void> {
  const end = performance.now() + count;
  while (performance.now() < end) await setImmediate();
}
