import fc from 'fast-check';
import { beforeEach, expect, it, vi } from 'vitest';
import { MAX_ATTEMPTS } from '../../../functions/deliver/next-attempt.ts';
import type { WebhookAnswer } from '../../../functions/deliver/ports.ts';
import { ManualClock, settlePromises } from '../../support/manual-clock.ts';
import { bodyOfEvent, SimulatedWebhook } from './simulated-webhook.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.parse('2026-03-02T09:00:00.000Z');
const CONCURRENCY = 3;

beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
});

/** What happens to an endpoint. Times are milliseconds from the start. */
interface Fate {
  readonly seed: number;
  readonly events: number;
  /** Shares of requests that fail, that are accepted though their answer is lost, and of runs that are killed. */
  readonly failing: number;
  readonly lost: number;
  readonly killed: number;
  readonly outage: { readonly from: number; readonly ms: number };
  /** The endpoint says that it is gone; an operator enables the webhook later. */
  readonly goneAt: number | undefined;
}

const share = fc.constantFrom(0, 0, 0.1, 0.5);
const FATE: fc.Arbitrary<Fate> = fc.record({
  seed: fc.integer(),
  events: fc.integer({ min: 1, max: 60 }),
  failing: share,
  lost: share,
  killed: fc.constantFrom(0, 0, 0.3),
  outage: fc.record({
    from: fc.integer({ min: 0, max: HOUR }),
    ms: fc.constantFrom(0, 10 * MINUTE, 30 * HOUR, 100 * HOUR),
  }),
  goneAt: fc.constantFrom(undefined, 20 * MINUTE),
});

/** Numbers that look random, the same for a seed. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 8) / 2 ** 24;
  };
}

interface Accepted {
  readonly id: string;
  readonly at: number;
}

/** Starts a webhook to which events come for an hour. */
function startWebhook(clock: ManualClock, fate: Fate, pollMs = 500) {
  const random = numbers(fate.seed);
  const accepted: Accepted[] = [];
  let isGone = fate.goneAt !== undefined;
  const webhook = new SimulatedWebhook(clock, async ({ headers }): Promise<WebhookAnswer> => {
    const { from, ms } = fate.outage;
    const age = clock.now() - START;
    const isDown = age >= from && age < from + ms;
    await clock.sleep(isDown && random() < 0.5 ? 15_000 : 1 + 300 * random());
    if (isGone && age > (fate.goneAt ?? 0)) return { status: 410, text: '' };
    if (isDown) return { text: 'No answer: ECONNREFUSED' };
    if (random() < fate.failing) {
      return random() < 0.5
        ? { status: 500, text: '' }
        : { status: 429, text: '', retryAfterMs: MINUTE };
    }
    accepted.push({ id: headers['webhook-id'] ?? '', at: clock.now() });
    return random() < fate.lost ? { text: 'No answer: ECONNRESET' } : { status: 200, text: '' };
  });
  const sentAt = new Map<string, number>();
  const send = async (): Promise<void> => {
    for (let n = 0; n < fate.events; n += 1) {
      const id = String(n).padStart(2, '0');
      sentAt.set(id, clock.now());
      webhook.queue.send(id, bodyOfEvent(id));
      await clock.sleep((2 * HOUR * random()) / fate.events);
    }
  };
  const idleMs = () =>
    Math.min(Math.max(webhook.isMapped ? webhook.queue.nextAt - clock.now() : HOUR, 500), HOUR);
  const poll = async (): Promise<void> => {
    for (;;) {
      const killAfterMs = random() < fate.killed ? 1000 * random() : undefined;
      const isIdle = !(await webhook.invoke(killAfterMs));
      if (isIdle) await clock.sleep(sentAt.size < fate.events ? pollMs : idleMs());
      if (sentAt.size === fate.events && webhook.queue.size === 0) return;
    }
  };
  const operate = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(HOUR);
      if (sentAt.size === fate.events && webhook.queue.size === 0) return;
      const { from, ms } = fate.outage;
      if (webhook.isMapped || clock.now() < START + from + ms) continue;
      isGone = false;
      webhook.state = {};
      webhook.isMapped = true;
    }
  };
  const done = Promise.all([send(), operate(), ...Array.from({ length: CONCURRENCY }, poll)]);
  return { webhook, accepted, sentAt, done };
}

/** Lets virtual time pass until all is done. */
async function pass(clock: ManualClock, ...all: readonly Promise<unknown>[]): Promise<void> {
  let isDone = false;
  const done = Promise.all(all).then(() => (isDone = true));
  for (;;) {
    await settlePromises();
    if (isDone || !clock.advanceToNext()) break;
    if (clock.now() > START + 20 * 24 * HOUR) throw new Error('the queue does not drain');
  }
  await done;
}

it('no event is lost or given up before its last attempt', async () => {
  await fc.assert(
    fc.asyncProperty(FATE, async (fate) => {
      const clock = new ManualClock(START);
      const { webhook, accepted, sentAt, done } = startWebhook(clock, fate, 20_000);
      await pass(clock, done);
      const ids = new Set(accepted.map(({ id }) => id));
      for (const id of sentAt.keys())
        expect(ids.has(id) || webhook.queue.buried.has(id)).toBe(true);
      for (const { outcome, count, nextAt = 0, at } of webhook.attempts) {
        if (outcome === 'failed') expect(nextAt - at).toBeLessThan(12 * HOUR);
        if (outcome === 'dead-lettered') expect(count).toBeGreaterThanOrEqual(MAX_ATTEMPTS);
      }
    }),
    { numRuns: 100 },
  );
}, 120_000);
