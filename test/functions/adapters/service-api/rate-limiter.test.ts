import { describe, expect, it } from 'vitest';
import { RateLimiter } from '../../../../functions/adapters/service-api/rate-limiter.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const MINUTE = 60_000;

/** A limiter in manual time, and requests that end when the test says so. */
function makeLimiter(requestsPerMinute: number, concurrency = 1_000) {
  const clock = new ManualClock(0);
  const limiter = new RateLimiter({ requestsPerMinute, concurrency }, clock);
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const passTurns = () => new Promise(setImmediate);
  return {
    limiter,
    started,
    /** Time now, in milliseconds since the start. */
    now: () => clock.now(),
    /** Whether anything waits for time to pass. */
    isWaiting: () => clock.sleeping > 0,
    advance: async (milliseconds: number) => {
      clock.advance(milliseconds);
      await passTurns();
    },
    send: async (name: string, options: { signal?: AbortSignal; startBefore?: number } = {}) => {
      const { signal, startBefore } = options;
      const request = limiter.run(async () => {
        await limiter.waitForStart(startBefore, signal);
        started.push(name);
        return new Promise<void>((resolve) => {
          ends.set(name, resolve);
        });
      }, signal);
      request.catch(() => undefined);
      await passTurns();
      return { request };
    },
    sendMany: async (count: number) => {
      for (let i = 0; i < count; i += 1) {
        void limiter.run(async () => {
          await limiter.waitForStart();
          started.push(`#${started.length}`);
        }, undefined);
      }
      await passTurns();
    },
    end: async (name: string) => {
      ends.get(name)?.();
      await passTurns();
    },
  };
}

describe('concurrency', () => {
  it('limits the requests in flight, and the others follow in their order', async () => {
    const { send, end, started } = makeLimiter(1_000, 2);
    for (const name of ['a', 'b', 'c', 'd']) await send(name);
    expect(started).toEqual(['a', 'b']);
    await end('a');
    await end('b');
    expect(started).toEqual(['a', 'b', 'c', 'd']);
  });

  it('lets a request whose signal is aborted leave the queue, and the others go on', async () => {
    const { send, end, started } = makeLimiter(1_000, 1);
    const controller = new AbortController();
    await send('a');
    const { request } = await send('b', { signal: controller.signal });
    await send('c');
    controller.abort(new Error('over'));
    await expect(request).rejects.toThrow('over');
    await end('a');
    expect(started).toEqual(['a', 'c']);
  });
});

describe('a pause', () => {
  it('holds back all requests, and the longest of several pauses counts', async () => {
    const { limiter, sendMany, advance, started } = makeLimiter(100);
    expect([2_000, 6_000, 4_000].map((ms) => limiter.pause(ms))).toEqual([2_000, 6_000, 4_000]);
    await sendMany(1);
    await advance(5_999);
    expect(started).toEqual([]);
    await advance(1);
    expect(started).toHaveLength(1);
  });

  it('lasts for half a minute if the service names no time, and for an hour at most', () => {
    const { limiter } = makeLimiter(100);
    expect(limiter.pause(undefined)).toBe(30_000);
    expect(limiter.pause(2 * 60 * MINUTE)).toBe(60 * MINUTE);
  });

  it('halves the rate, which grows back by a tenth of its maximum a minute', async () => {
    const { limiter, advance } = makeLimiter(100);
    limiter.pause(MINUTE);
    const rates = [limiter.allowance(1).perMinute];
    for (const minutes of [1, 2, 2, 1, 50]) {
      await advance(minutes * MINUTE);
      rates.push(limiter.allowance(1).perMinute);
    }
    expect(rates).toEqual([50, 50, 70, 90, 100, 100]);
  });

  it('halves the rate once for requests that were refused together', async () => {
    const { limiter, advance } = makeLimiter(100);
    limiter.pause(0);
    await advance(MINUTE - 1);
    limiter.pause(0);
    expect(limiter.allowance(1).perMinute).toBe(50);
    await advance(1);
    limiter.pause(0);
    expect(limiter.allowance(1).perMinute).toBe(25);
  });

  it.each([
    [200, [100, 50, 25, 20, 20]],
    [8, [4, 2, 1, 1]],
  ])('does not lower a rate of %i below a tenth', async (maximum, rates) => {
    const { limiter, advance } = makeLimiter(maximum);
    for (const rate of rates) {
      limiter.pause(MINUTE);
      expect(limiter.allowance(1).perMinute).toBe(rate);
      await advance(MINUTE);
    }
  });
});

describe('spacing', () => {
  it('lasts for a day', async () => {
    const { limiter, sendMany, advance, started } = makeLimiter(120);
    limiter.pause(0);
    await advance(24 * 60 * MINUTE - 1);
    await sendMany(2);
    expect(started).toHaveLength(1);
    await sendMany(2);
    await advance(499);
    expect(started).toHaveLength(1);
    await advance(1);
    expect(started).toHaveLength(4);
  });
});

describe('the allowance', () => {
  it('is the number of requests that may still start in the time', async () => {
    const { limiter, sendMany, advance } = makeLimiter(10);
    const requestsWithin = (milliseconds: number) => limiter.allowance(milliseconds).requests;
    expect(requestsWithin(MINUTE)).toBe(10);
    await sendMany(4);
    await advance(30_000);
    await sendMany(3);
    expect([1_000, 29_999, 30_000, MINUTE].map(requestsWithin)).toEqual([3, 3, 7, 10]);
    expect([MINUTE + 1, 2.5 * MINUTE].map(requestsWithin)).toEqual([10 + 3, 20 + 7]);
    await advance(1.5 * MINUTE);
    expect(requestsWithin(1_000)).toBe(10);
  });

  it('returns the share of the highest rate that the last minute spent, also during a pause', async () => {
    const { limiter, sendMany, advance } = makeLimiter(10);
    await sendMany(4);
    await advance(30_000);
    await sendMany(3);
    limiter.pause(60_000);
    expect(limiter.allowance(0).usedShare).toBe(0.7);
    await advance(30_000);
    expect(limiter.allowance(0).usedShare).toBe(0.3);
  });

  it('does not count requests that wait already', async () => {
    const { limiter, send } = makeLimiter(8, 2);
    for (const name of ['a', 'b', 'c']) await send(name);
    expect(limiter.allowance(45_000)).toMatchObject({ requests: 5, perMinute: 8 });
    expect(limiter.allowance(MINUTE)).toMatchObject({ requests: 7, perMinute: 8 });
  });
});

describe('a request that may only start before a time', () => {
  it('fails once it can only wait until then, and others go on', async () => {
    const { sendMany, send, started, advance } = makeLimiter(1);
    await sendMany(1);
    const late = await send('late', { startBefore: MINUTE });
    await expect(late.request).rejects.toMatchObject({ name: 'RateLimitedError' });
    await send('in time', { startBefore: MINUTE + 1 });
    await advance(MINUTE);
    expect(started).toEqual(['#0', 'in time']);
  });
});

describe('another process', () => {
  it('goes on with the requests, the pause and the rate of the last one', async () => {
    const first = makeLimiter(40);
    await first.sendMany(19);
    first.limiter.pause(2_000);
    const next = makeLimiter(40);
    next.limiter.resume(first.limiter.handOver());
    expect(next.limiter.allowance(45_000)).toMatchObject({ requests: 1, perMinute: 20 });
    expect(next.limiter.allowance(3_000).requests).toBe(0);
    expect(next.limiter.allowance(3_001).requests).toBe(1);
    // Its own requests are not counted twice.
    first.limiter.resume(next.limiter.handOver());
    expect(first.limiter.allowance(45_000).requests).toBe(1);
  });

  it.each(['', {}, { starts: [['a', 1]], pausedUntil: 0 }, null])('ignores %o', (note) => {
    const { limiter } = makeLimiter(40);
    limiter.resume(note);
    expect(limiter.allowance(1)).toMatchObject({ requests: 40, perMinute: 40 });
  });
});
