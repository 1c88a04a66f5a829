import { describe, expect, it, vi } from 'vitest';
import { emptySummary, type RunSummary } from '../../../../functions/core/run/run-summary.ts';
import { ProblemLog } from '../../../../infra/cli/dev/problem-log.ts';
import { runSession, type SessionOptions } from '../../../../infra/cli/dev/session.ts';
import type { LocalStack } from '../../../../infra/local/stack/local-stack.ts';

const NEVER = new AbortController().signal;
const READ: RunSummary = { ...emptySummary(), pages: 1, polled: 1, feeds: 1 };

const delivery = (id: string, time: string) => ({
  message: JSON.stringify({ id, type: 'floorplan.updated', time }),
  attributes: {},
});

/** A stack whose subscriber finds these deliveries in its queue after each run. */
function fakeSession(invoke: LocalStack['invoke'], deliveries: readonly object[] = [], shards = 1) {
  const queue = [...deliveries];
  const startActivity = vi.fn();
  const killFunction = vi.fn(() => Promise.resolve());
  const drain = vi.fn(() => Promise.resolve(queue.splice(0)));
  const stack = {
    ...{
      invoke,
      killFunction,
      schedules: Array.from({ length: shards }, () => ({})),
      service: { activity: { start: startActivity } },
    },
    subscribe: () => Promise.resolve({ drain }),
  } as unknown as LocalStack;
  const terminal = { event: vi.fn(), status: vi.fn(), problem: vi.fn() };
  const run = (options: Partial<SessionOptions> = {}, signal = NEVER) =>
    runSession(
      stack,
      { every: 60, seconds: 0.01, problems: new ProblemLog(false), ...options },
      terminal,
      signal,
    );
  return { run, terminal, startActivity, killFunction };
}

describe('runSession', () => {
  it('ends after its seconds, starts the activity once, and shows totals', async () => {
    const { run, terminal, startActivity } = fakeSession(() => Promise.resolve(READ));
    expect(await run({ every: 0.3, seconds: 1 })).toBe(true);
    expect(startActivity).toHaveBeenCalledTimes(1);
    expect(terminal.status.mock.lastCall).toEqual([expect.stringMatching(/runs in 1 s/)]);
  });

  it('shows the events of a run in the order of their times', async () => {
    const late = delivery('2', '2026-01-01T00:00:02Z');
    const early = delivery('1', '2026-01-01T00:00:01Z');
    const { run, terminal } = fakeSession(() => Promise.resolve(READ), [late, early]);
    await run();
    expect(terminal.event.mock.calls).toMatchObject([[{ id: '1' }], [{ id: '2' }]]);
  });

  it('says of a run that a person has killed that it was, not that it failed', async () => {
    const observer = { runStarted: vi.fn(), runEnded: vi.fn(), wasKilled: () => true };
    const { run, terminal } = fakeSession(() => Promise.reject(new Error('SIGKILL')));
    await run({ observer });
    expect(terminal.status).toHaveBeenCalledWith('run 1 was killed by you');
    expect(terminal.problem).not.toHaveBeenCalled();
  });

  it('kills a run that continues for more than 3 s after Ctrl-C', async () => {
    const { run, terminal, killFunction } = hangingSession();
    const stopping = new AbortController();
    const session = run({ seconds: 60 }, stopping.signal);
    const start = performance.now();
    stopping.abort();
    expect(await session).toBe(true);
    expect(performance.now() - start).toBeGreaterThan(2_900);
    expect(killFunction).toHaveBeenCalledTimes(1);
    expect(terminal.status).toHaveBeenCalledWith('run 1 was killed, since it went on after Ctrl-C');
  });
});

/** A session whose run ends only when it is killed. */
function hangingSession() {
  const invocation = Promise.withResolvers<never>();
  const session = fakeSession(() => invocation.promise);
  session.killFunction.mockImplementation(() => {
    invocation.reject(new Error('killed'));
    return Promise.resolve();
  });
  return session;
}
