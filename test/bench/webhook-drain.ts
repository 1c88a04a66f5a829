import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HttpsEndpoint } from '../../functions/adapters/webhook/https-endpoint.ts';
import { bodyOfEvent, SimulatedWebhook } from '../functions/deliver/simulated-webhook.ts';
import { ManualClock } from '../support/manual-clock.ts';
import type { Bench } from './bench.ts';

/** Time that the endpoint takes for a request. */
const LATENCY_MS = 100;
/** The default of `maxConcurrency`, and messages of a batch: so many requests are in flight. */
const INSTANCES = 5;
const BATCH_SIZE = 10;

export const webhookDrain: Bench = {
  name: 'webhook-drain',
  rows: [
    {
      key: 'webhookDrain',
      definition:
        'Time in which a webhook delivers 10,000 events that wait, signed, over HTTP, with 5 batches of 10 at once, to an ' +
        'endpoint that takes 100 ms, over the time of the endpoint alone. Queue and table are in memory.',
      goal: 1.25,
    },
  ],
  async measure(scale) {
    const eventCount = scale === 'full' ? 10_000 : 100;
    const server = createServer((request, response) => {
      request.resume();
      setTimeout(() => response.writeHead(204).end(), LATENCY_MS);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      const start = performance.now();
      await Promise.all(
        Array.from({ length: INSTANCES }, () => drain(eventCount / INSTANCES, url)),
      );
      const elapsedMs = performance.now() - start;
      const ownMs = (eventCount / (INSTANCES * BATCH_SIZE)) * LATENCY_MS;
      return { webhookDrain: elapsedMs / ownMs };
    } finally {
      server.closeAllConnections();
      server.close();
    }
  },
};

/** Delivers a part of the events, as one instance of the function does. */
async function drain(eventCount: number, url: string): Promise<void> {
  const endpoint = new HttpsEndpoint({ url, allowPrivateAddress: true, allowLoopback: true });
  const webhook = new SimulatedWebhook(new ManualClock(), (request) => endpoint.post(request));
  let sentCount = 0;
  do {
    for (; sentCount < eventCount && webhook.queue.size < BATCH_SIZE; sentCount += 1) {
      webhook.queue.send(String(sentCount), bodyOfEvent(`event-${sentCount}`));
    }
  } while (await webhook.invoke());
  if (webhook.attempts.some(({ outcome }) => outcome !== 'delivered')) {
    throw new Error('The endpoint did not take all events');
  }
}
