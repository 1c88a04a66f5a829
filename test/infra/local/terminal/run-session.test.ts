import { describe, expect, it, vi } from 'vitest';
import { emptySummary } from '../../../../functions/core/run/run-summary.ts';
import type { LocalStack } from '../../../../infra/local/stack/local-stack.ts';
import type { Delivery } from '../../../../infra/local/stack/subscriber.ts';
import { runSession } from '../../../../infra/local/terminal/run-session.ts';

/** A stack whose subscriber receives one event when the session ends. */
function fakeSession(invoke: LocalStack['invoke']) {
  const startActivity = vi.fn();
  const killFunction = vi.fn(() => Promise.resolve());
  const follow = async (handOver: (delivery: Delivery) => void, signal: AbortSignal) => {
    await new Promise((resolve) => {
      signal.addEventListener('abort', resolve);
    });
    handOver({ message: '{"id":"1"}', attributes: {} });
  };
  const stack = {
    invoke,
    killFunction,
    service: { startActivity },
    subscribe: () => Promise.resolve({ follow }),
  } as unknown as LocalStack;
  const terminal = { event: vi.fn(), status: vi.fn(), problem: vi.fn(), flush: vi.fn() };
  return { stack, terminal, startActivity, killFunction };
}

const NEVER = new AbortController().signal;

describe('runSession', () => {
  it('ends after its seconds, shows what is still in the queue, and starts the activity once', async () => {
    const { stack, terminal, startActivity } = fakeSession(() => Promise.resolve(emptySummary()));
    expect(await runSession(stack, { every: 0.3, seconds: 1 }, terminal, NEVER)).toBe(true);
    expect(terminal.status.mock.calls.length).toBeGreaterThan(1);
    expect(terminal.event).toHaveBeenCalledExactlyOnceWith({ id: '1' });
    expect(startActivity).toHaveBeenCalledTimes(1);
  });

  it('shows why each run fails, and returns false when all fail', async () => {
    const { stack, terminal, startActivity } = fakeSession(() => Promise.reject(new Error('no')));
    expect(await runSession(stack, { every: 60, seconds: 0.01 }, terminal, NEVER)).toBe(false);
    expect(terminal.problem).toHaveBeenCalledWith('run 1 failed: no');
    expect(startActivity).not.toHaveBeenCalled();
  });

  it('kills a run that continues for more than 3 s after Ctrl-C', async () => {
    const run = Promise.withResolvers<never>();
    const { stack, terminal, killFunction } = fakeSession(() => run.promise);
    killFunction.mockImplementation(() => {
      run.reject(new Error('killed'));
      return Promise.resolve();
    });
    const stopping = new AbortController();
    const session = runSession(stack, { every: 60 }, terminal, stopping.signal);
    const start = performance.now();
    stopping.abort();
    expect(await session).toBe(false);
    expect(performance.now() - start).toBeGreaterThan(2_900);
    expect(killFunction).toHaveBeenCalledTimes(1);
    expect(terminal.status).toHaveBeenCalledWith('run 1 was killed');
  });
});
