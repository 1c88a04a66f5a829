import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { makeWebhookReceiver } from '../../../docs/examples/webhook-receiver.ts';
import { HttpsEndpoint } from '../../../functions/adapters/webhook/https-endpoint.ts';
import type { ChangeEvent } from '../../../functions/core/contract/events.ts';
import { SimulatedWebhook } from '../../functions/deliver/simulated-webhook.ts';
import { RICH_HISTORY } from '../../simulation/crash-points.ts';
import { simulate } from '../../simulation/world/simulate.ts';
import { ManualClock, settlePromises } from '../../support/manual-clock.ts';

const MINUTE_MS = 60_000;
/** The key of a simulated webhook. */
const SECRET = `whsec_${Buffer.alloc(24, 'k').toString('base64')}`;

/** Starts the receiver of docs/webhooks.md. */
async function startReceiver() {
  const handled = new Map<string, unknown>();
  let count = 0;
  const server = makeWebhookReceiver(SECRET, (event) => {
    count += 1;
    handled.set((event as ChangeEvent).id, event);
    return Promise.resolve();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, handled, count: () => count };
}

it('an endpoint written from the guide gets every event of an hour, though it is down for ten minutes', async () => {
  const { trace } = await simulate(RICH_HISTORY);
  const events = trace.deliveries.map(({ event }) => event);
  const receiver = await startReceiver();
  const clock = new ManualClock(Date.parse('2026-03-02T09:00:00.000Z'));
  const startedAt = clock.now();
  const sender = new HttpsEndpoint({
    url: receiver.url,
    allowPrivateAddress: true,
    allowLoopback: true,
  });
  let postCount = 0;
  let posting = 0;
  const webhook = new SimulatedWebhook(clock, async (request) => {
    await clock.sleep(50);
    const age = clock.now() - startedAt;
    if (age > 20 * MINUTE_MS && age < 30 * MINUTE_MS) return { text: 'No answer: ECONNREFUSED' };
    // The receiver compares our time with its own.
    vi.setSystemTime(clock.now());
    posting += 1;
    const answer = await sender.post(request);
    posting -= 1;
    postCount += 1;
    return postCount % 10 === 0 ? { text: 'No answer: ECONNRESET' } : answer;
  });
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const send = async (): Promise<void> => {
    for (const event of events) {
      webhook.queue.send(`${event.id} ${event.recordedtime}`, JSON.stringify(event));
      await clock.sleep((60 * MINUTE_MS) / events.length);
    }
  };
  let isSent = false;
  const deliver = async (): Promise<void> => {
    for (let n = 0; !isSent || webhook.queue.size > 0; n += 1) {
      // Every fifth run is killed.
      const hadWork = await webhook.invoke(n % 5 === 4 ? 20 : undefined);
      if (!hadWork) await clock.sleep(10_000);
    }
  };
  let isDone = false;
  const done = Promise.all([send().then(() => (isSent = true)), deliver()]);
  void done.then(() => (isDone = true));
  while (!isDone) {
    await settlePromises();
    // No virtual time passes during a real request.
    if (posting === 0) clock.advanceToNext();
  }
  await done;
  expect(events.length).toBeGreaterThan(20);
  expect(webhook.queue.buried.size).toBe(0);
  expect([...receiver.handled.keys()].sort()).toEqual(
    [...new Set(events.map(({ id }) => id))].sort(),
  );
  for (const event of events)
    expect(receiver.handled.get(event.id)).toMatchObject({ subject: event.subject });
  // Lost answers and killed runs repeat ids, and nothing else.
  expect(receiver.count()).toBeGreaterThan(events.length);
});
