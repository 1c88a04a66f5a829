import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { WebhookAnswer } from '../../../functions/deliver/ports.ts';
import { ManualClock, settlePromises } from '../../support/manual-clock.ts';
import { bodyOfEvent, SimulatedWebhook } from './simulated-webhook.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const OK: WebhookAnswer = { status: 200, text: '' };
const REFUSED: WebhookAnswer = { status: 500, text: 'out of order' };

beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
});

/** A webhook whose endpoint answers by the event's id. */
function makeWebhook(answers: (id: string) => WebhookAnswer = () => OK) {
  const clock = new ManualClock();
  const asked: string[] = [];
  const webhook = new SimulatedWebhook(clock, ({ headers }) => {
    const id = headers['webhook-id'] ?? '';
    asked.push(id);
    return Promise.resolve(answers(id));
  });
  return { webhook, clock, asked };
}

async function invoke({ webhook, clock }: ReturnType<typeof makeWebhook>): Promise<void> {
  let isDone = false;
  const done = webhook.invoke().then(() => (isDone = true));
  await settlePromises();
  while (!isDone) {
    clock.advanceToNext();
    await settlePromises();
  }
  await done;
}

describe('a message', () => {
  it('that is no event is a dead letter at once, and nobody is asked', async () => {
    const made = makeWebhook();
    const { webhook, asked } = made;
    const bodies = ['hello', '[]', '{"id":7,"type":"a"}', '{"id":"a b","type":"a"}', '{"id":"a"}'];
    for (const body of bodies) webhook.queue.send(body, body);
    await invoke(made);
    expect([...webhook.queue.buried]).toEqual(bodies);
    const reason = 'The message is no event.';
    expect(webhook.attempts).toMatchObject(bodies.map((id) => ({ id, reason })));
    expect([asked, webhook.queue.size, webhook.state]).toEqual([[], 0, {}]);
  });

  it.each([199, 302])('that is answered with %i fails', async (status) => {
    const made = makeWebhook(() => ({ status, text: 'Moved' }));
    made.webhook.queue.send('a', bodyOfEvent('a'));
    await invoke(made);
    const redirect = status < 300 ? '' : ' Redirects are not followed.';
    const reason = `The endpoint answered ${status}: "Moved".${redirect}`;
    expect(made.webhook.attempts).toMatchObject([{ outcome: 'failed', status, reason }]);
    expect(made.webhook.queue.size).toBe(1);
  });

  it('whose large event cannot be read fails, and the endpoint is not to blame', async () => {
    const made = makeWebhook();
    const { webhook, asked } = made;
    webhook.queue.send('a', bodyOfEvent('a', { dataref: 's3://bucket/events/a.json' }));
    await invoke(made);
    expect(webhook.attempts).toMatchObject([
      { outcome: 'failed', reason: 'The large event cannot be read: there are none' },
    ]);
    expect([asked, webhook.state]).toEqual([[], {}]);
  });

  it.each([
    ['is sent whole', 'whole', 'whole'],
    ['is sent as a claim check with an address', undefined, 'https://address'],
  ])('with a large event %s', async (_, whole, expected) => {
    const made = makeWebhook();
    const { webhook } = made;
    const bodies: string[] = [];
    const body = bodyOfEvent('a', { dataref: 's3://bucket/events/a.json' });
    webhook.ports = {
      endpoint: { post: ({ body }) => Promise.resolve((bodies.push(body), OK)) },
      largeEvents: {
        read: () => Promise.resolve(whole),
        presign: () => Promise.resolve('https://address'),
      },
    };
    webhook.queue.send('a', body);
    await invoke(made);
    const claimCheck = body.replace('s3://bucket/events/a.json', 'https://address');
    expect(bodies).toEqual([whole ?? claimCheck]);
    expect(bodies[0]).toContain(expected);
  });

  it('reports its age when it is delivered, unless it was replayed', async () => {
    const made = makeWebhook();
    const { webhook, clock } = made;
    const time = new Date(clock.now() - 7000).toISOString();
    webhook.queue.send('a', bodyOfEvent('a', { time, cause: 'replay' }));
    await invoke(made);
    expect(webhook.metrics['WebhookDeliverySeconds']).toBeUndefined();
    webhook.queue.send('b', bodyOfEvent('b', { time, cause: 'poll' }));
    await invoke(made);
    expect(webhook.metrics['WebhookDeliverySeconds']).toBe(7);
  });
});

describe('an endpoint', () => {
  it('that is disabled is not asked; its messages come back, and the mapping is stopped again', async () => {
    const made = makeWebhook();
    const { webhook, clock, asked } = made;
    webhook.state = { disabled: { at: clock.now(), by: 'operator' } };
    webhook.queue.send('a', bodyOfEvent('a'));
    await invoke(made);
    expect([asked, webhook.isMapped, webhook.metrics['WebhookDisabled']]).toEqual([[], false, 1]);
    expect(webhook.queue.nextAt - clock.now()).toBe(5000);
  });

  it('that only fails for a day is disabled, and one success begins a new day', async () => {
    let answer = REFUSED;
    const made = makeWebhook(() => answer);
    const { webhook, clock } = made;
    const deliver = async (id: string) => {
      webhook.queue.send(id, bodyOfEvent(id));
      await invoke(made);
    };
    await deliver('a');
    const begin = webhook.state.failingSince;
    clock.advance(12 * HOUR);
    await deliver('a2');
    clock.advance(11 * HOUR);
    await deliver('b');
    expect(webhook.state.failingSince).toBe(begin);
    answer = OK;
    await deliver('c');
    expect(webhook.state).toEqual({});
    answer = REFUSED;
    clock.advance(2 * HOUR);
    await deliver('d');
    clock.advance(12 * HOUR);
    await deliver('d2');
    clock.advance(12 * HOUR - 1);
    await deliver('e');
    expect(webhook.state.disabled).toBeUndefined();
    clock.advance(1);
    await deliver('f');
    expect(webhook.state.disabled).toMatchObject({ by: 'failures' });
    expect(webhook.isMapped).toBe(false);
  });
});

it.each(['saveAttempts', 'noteFailure'] as const)(
  'a table that refuses %s fails no delivery, and is counted',
  async (call) => {
    const made = makeWebhook((id) => (id === 'a' ? REFUSED : OK));
    const { webhook, clock } = made;
    const none = () => Promise.resolve();
    webhook.ports = {
      store: {
        ...{ loadState: () => Promise.resolve({}), disable: () => Promise.resolve(true) },
        ...{ noteFailure: () => Promise.resolve(clock.now()), endFailures: none },
        ...{ name: 'hook', saveAttempts: none },
        [call]: () => Promise.reject(new Error('throttled')),
      },
    };
    webhook.queue.send('a', bodyOfEvent('a'));
    await invoke(made);
    expect(webhook.metrics).toMatchObject({ WebhookAttempts: 1, WebhookUnrecorded: 1 });
    webhook.queue.send('b', bodyOfEvent('b'));
    await invoke(made);
    expect(webhook.queue.size).toBe(1);
  },
);

it('while the secret cannot be read, messages wait as after an attempt, and the error is thrown', async () => {
  const made = makeWebhook();
  const { webhook, clock } = made;
  webhook.ports = { secrets: { read: () => Promise.reject(new Error('denied')) } };
  webhook.queue.send('a', bodyOfEvent('a'));
  const waits: number[] = [];
  while (waits.length < 5) {
    await expect(webhook.invoke()).rejects.toThrow('denied');
    waits.push(webhook.queue.nextAt - clock.now());
    clock.advance(webhook.queue.nextAt - clock.now());
  }
  expect(waits).toEqual([5000, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR]);
  webhook.ports = {};
  await invoke(made);
  expect(webhook.attempts).toMatchObject([{ count: 6, outcome: 'delivered' }]);
});
