import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  ClaimCheckFailedError,
  type ClaimCheck,
} from '../../../../functions/adapters/shared/claim-check.ts';
import { SnsTopic } from '../../../../functions/adapters/sns/event-topic.ts';
import type { ChangeEvent, ClaimCheckEvent } from '../../../../functions/core/contract/events.ts';
import { PublishFailedError } from '../../../../functions/core/model/errors.ts';
import { subscribe, type Subscriber } from '../../../../infra/local/stack/subscriber.ts';
import { eventOf } from '../../../support/samples.ts';
import { testAws } from '../../../support/test-aws.ts';
import { onPublish } from './publish-calls.ts';

const LARGE = { drawing: 'x'.repeat(300_000) };
const retry = { maxTries: 2, baseDelayMs: 1, maxDelayMs: 2 };

const aws = testAws();
let topicArn: string;
let queueUrl: string;
/** The calls in their order: `put <id>` and `publish`. */
let calls: string[];
/** Events that the topic reported as large. */

beforeEach(async () => {
  ({ topicArn, queueUrl } = await aws.createTopic());
  calls = [];
});

function topicWith(put: ClaimCheck['put'], maxBytes?: number): SnsTopic {
  const { sns } = aws.freshClients();
  onPublish(sns, (input, proceed) => {
    calls.push('publish');
    return proceed(input);
  });
  const claimCheck = {
    put: (id: string, json: string) => {
      calls.push(`put ${id}`);
      return put(id, json);
    },
  };
  const options = { client: sns, topicArn, claimCheck, retry };
  return new SnsTopic({ ...options, ...(maxBytes !== undefined && { maxBytes }) });
}

const keep: ClaimCheck['put'] = (id) => Promise.resolve(`s3://large/events/${id}.json`);

async function received(): Promise<
  { body: ChangeEvent | ClaimCheckEvent; attributes: Record<string, string | undefined> }[]
> {
  return (await aws.drain(queueUrl)).map(({ Body = '', MessageAttributes = {} }) => ({
    body: JSON.parse(Body) as ChangeEvent | ClaimCheckEvent,
    attributes: Object.fromEntries(
      Object.entries(MessageAttributes).map(([name, { StringValue }]) => [name, StringValue]),
    ),
  }));
}

async function sentByTopicWithoutLimit(event: ChangeEvent): Promise<string | undefined> {
  const { sns } = aws.freshClients();
  const sent: (string | undefined)[] = [];
  onPublish(sns, ({ PublishBatchRequestEntries: [entry] = [] }) => {
    sent.push(entry?.Message);
    return { Successful: [{ Id: entry?.Id, MessageId: 'm' }], $metadata: {} };
  });
  const claimCheck = { put: keep };
  await new SnsTopic({ client: sns, topicArn, claimCheck, maxBytes: Infinity }).publish([event]);
  return sent[0];
}

/** An event with the attributes that every one has, and its size without the names of its fields. */
function bareEvent(changed: string[]): { bare: ChangeEvent; room: number } {
  const object = { note: 'x'.repeat(1_000) };
  const { projectid, accountid, ...bare } = eventOf('a', { object, changed });
  const attributes =
    'typeStringfloorplan.updatedentityStringfloorplanactionStringupdatedcauseStringpollchangedString.Array';
  return { bare, room: Buffer.byteLength(JSON.stringify(bare) + attributes) };
}

describe('an event over the limit', () => {
  it('is stored byte for byte as it would have been published, before its claim check is sent', async () => {
    const claimCheck = await aws.createClaimCheck();
    const event = eventOf('a', { object: { ...LARGE, note: 'Größe \ufffe 🏗', empty: '' } });
    await topicWith((...of) => claimCheck.put(...of)).publish([event]);
    expect(calls).toEqual([`put ${event.id}`, 'publish']);
    const [message] = await received();
    const { dataref = '' } = (message?.body ?? {}) as Partial<ClaimCheckEvent>;
    const { text, type } = await aws.read(dataref);
    expect(type).toBe('application/json');
    expect(text).toBe(await sentByTopicWithoutLimit(event));
  });

  it('has the attributes of any other event', async () => {
    const [small, large] = [eventOf('a'), eventOf('a', { object: LARGE })];
    const topic = topicWith(keep);
    await topic.publish([small]);
    await topic.publish([large]);
    const [ofSmall, ofLarge] = await received();
    expect(ofLarge?.attributes).toEqual(ofSmall?.attributes);
    expect(ofLarge?.attributes['changed']).toBe('["name"]');
    expect(ofLarge?.body.id).toBe(ofSmall?.body.id);
  });

  it('has as many names of changed fields as fit beside its claim check', async () => {
    const changed = Array.from({ length: 40_000 }, (_, i) => `field-${i}`);
    await topicWith(keep).publish([eventOf('a', { changed })]);
    const [message] = await received();
    expect(message?.body).toHaveProperty('dataref');
    const names = JSON.parse(message?.attributes['changed'] ?? '') as string[];
    expect(names.length).toBeGreaterThan(15_000);
    expect(names).toEqual([...changed.slice(0, names.length - 1), '*']);
  });

  it('is one whose body leaves no room to say that fields have changed', async () => {
    const { bare, room } = bareEvent(['name']);
    const least = '["*"]'.length;
    await topicWith(keep, room + least).publish([bare]);
    await topicWith(keep, room + least - 1).publish([bare]);
    const [whole, reference] = await received();
    expect(whole?.body).toHaveProperty('data');
    expect(whole?.attributes['changed']).toBe('["*"]');
    expect(reference?.body).toHaveProperty('dataref');
    expect(reference?.attributes['changed']).toBe('["name"]');
  });

  it('that cannot be kept fails the publish with the reason and what to do, and nothing is published', async () => {
    const error = new ClaimCheckFailedError('Bucket large did not accept it', {
      hint: 'Allow it.',
    });
    const published = topicWith(() => Promise.reject(error)).publish([
      eventOf('b'),
      eventOf('a', { object: LARGE }),
    ]);
    await expect(published).rejects.toThrow(PublishFailedError);
    await expect(published).rejects.toThrow(
      `Topic ${topicArn} accepted 0 of 2 events; 2 remain: ClaimCheckFailedError: Bucket large did not accept it`,
    );
    await expect(published).rejects.toHaveProperty('hint', 'Allow it.');
    expect(calls).not.toContain('publish');
  });
});

it('names of changed fields are cut only if they do not fit to the byte', async () => {
  const changed = ['größe', 'höhe', 'länge'];
  const { bare, room } = bareEvent(changed);
  const exact = room + Buffer.byteLength(JSON.stringify(changed));
  await topicWith(keep, exact).publish([bare]);
  await topicWith(keep, exact - 1).publish([bare]);
  const [whole, cut] = await received();
  expect(whole?.attributes['changed']).toBe(JSON.stringify(changed));
  expect(cut?.attributes['changed']).toBe('["größe","höhe","*"]');
  expect(cut?.body).toHaveProperty('data');
});

it('a filter that has *, too, misses no event whose changed names were cut', async () => {
  const filterOn = (name: string, changed: string[]) =>
    subscribe(aws.clients, topicArn, `${name}-${randomUUID()}`, { changed });
  const cautious = await filterOn('cautious', ['rotation', '*']);
  const strict = await filterOn('strict', ['rotation']);
  const names = Array.from({ length: 40_000 }, (_, i) => `field-${i}`);
  await topicWith(keep).publish([
    eventOf('cut', { changed: [...names, 'rotation'] }),
    eventOf('whole', { changed: ['name', 'rotation'] }),
    eventOf('other', { changed: ['name'] }),
  ]);
  const idsOf = async (subscriber: Subscriber): Promise<string[]> =>
    (await subscriber.drain()).map(
      ({ message }) => (JSON.parse(message) as ChangeEvent).partitionkey,
    );
  expect((await idsOf(cautious)).sort()).toEqual(['cut', 'whole']);
  expect(await idsOf(strict)).toEqual(['whole']);
});

it('at most eight large events are stored concurrently', async () => {
  let inFlight = 0;
  let maximum = 0;
  const topic = topicWith(async (...of) => {
    inFlight += 1;
    maximum = Math.max(maximum, inFlight);
    await Promise.resolve();
    inFlight -= 1;
    return keep(...of);
  });
  const events = Array.from({ length: 20 }, (_, i) => eventOf(String(i), { object: LARGE }));
  expect(await topic.publish(events)).toEqual([]);
  expect(maximum).toBe(8);
});
