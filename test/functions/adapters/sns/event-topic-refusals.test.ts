import { beforeEach, describe, expect, it } from 'vitest';
import {
  ClaimCheckFailedError,
  type ClaimCheck,
} from '../../../../functions/adapters/shared/claim-check.ts';
import { SnsTopic } from '../../../../functions/adapters/sns/event-topic.ts';
import type { ClaimCheckEvent } from '../../../../functions/core/contract/events.ts';
import { PublishFailedError } from '../../../../functions/core/model/errors.ts';
import { eventOf } from '../../../support/samples.ts';
import { testAws } from '../../../support/test-aws.ts';
import { awsError, drainEvents, eventName, refuseMessages, type Refusal } from './publish-calls.ts';

const retry = { maxTries: 1, baseDelayMs: 1, maxDelayMs: 2 };

const aws = testAws();
let topicArn: string;
let queueUrl: string;
/** The names of the messages, call by call. */
let calls: string[][];

beforeEach(async () => {
  ({ topicArn, queueUrl } = await aws.createTopic());
});

/** A topic that refuses messages by their names. */
async function topicThat(
  refusalOf: (name: string) => Refusal,
  claimCheck?: ClaimCheck,
): Promise<SnsTopic> {
  const { sns } = aws.freshClients();
  calls = refuseMessages(sns, refusalOf);
  const kept = claimCheck ?? (await aws.createClaimCheck());
  return new SnsTopic({ client: sns, topicArn, claimCheck: kept, retry });
}

const namesArrived = async (): Promise<string[]> =>
  (await drainEvents(aws, queueUrl)).map(eventName).sort();

const [a, b, c] = [eventOf('a'), eventOf('b'), eventOf('c')];
const [unheardOf, teapot] = ['UnheardOf: no such luck', awsError('UnheardOf', 'no such luck', 418)];

const TOO_LARGE: [string, Exclude<Refusal, undefined>][] = [
  ['HTTP 413', awsError('Unknown', 'unknown', 413)],
  ['RequestEntityTooLarge', awsError('RequestEntityTooLarge', 'over the limit', 400)],
  ['BatchRequestTooLong', awsError('BatchRequestTooLongException', 'over the limit', 400)],
  [
    'an invalid parameter that is too long',
    awsError('InvalidParameterException', 'Invalid parameter: Message too long', 400),
  ],
  ['a failed entry', { Code: 'InvalidParameter', Message: 'Message too long', SenderFault: true }],
];

describe('an event that SNS finds too large, against our own count', () => {
  it.each(TOO_LARGE)('arrives as a claim check, and the others whole: %s', async (_, refusal) => {
    const topic = await topicThat((name) => (name === 'b' ? refusal : undefined));
    expect(await topic.publish([a, b, c])).toEqual([]);
    const received = await drainEvents(aws, queueUrl);
    expect(received.map(eventName).sort()).toEqual(['a', 'c', '→b']);
    const reference = received.find((event) => 'dataref' in event) as ClaimCheckEvent;
    const { data, ...attributes } = b;
    expect(reference).toMatchObject(attributes);
    expect(reference).not.toHaveProperty('data');
    expect(JSON.parse((await aws.read(reference.dataref)).text)).toHaveProperty('data', data);
    expect(calls.filter((call) => call.includes('→b'))).toHaveLength(1);
  });

  it.each(TOO_LARGE)('is refused if its claim check is too large too: %s', async (_, refusal) => {
    const topic = await topicThat((name) => (name.endsWith('b') ? refusal : undefined));
    const refused = await topic.publish([a, b]);
    expect(refused.map(({ event }) => event)).toEqual([b]);
    expect(await namesArrived()).toEqual(['a']);
    expect(calls.filter((call) => call.includes('→b'))).toHaveLength(1);
  });

  it('remains for the next run if the bucket refuses it, with a hint', async () => {
    const put = () => Promise.reject(new ClaimCheckFailedError('no bucket', { hint: 'Make one.' }));
    const [, refusal] = TOO_LARGE[4] ?? [];
    const topic = await topicThat((name) => (name === 'b' ? refusal : undefined), { put });
    const published = topic.publish([a, b]);
    await expect(published).rejects.toThrow(/accepted 1 of 2 events; 1 remain: .*no bucket/);
    await expect(published).rejects.toHaveProperty('hint', 'Make one.');
  });
});

describe('an error of a call', () => {
  it.each([
    ['unknown', teapot, unheardOf],
    [
      'about a parameter',
      awsError('InvalidParameterException', 'Invalid parameter: Message', 400),
      'InvalidParameterException: Invalid parameter: Message',
    ],
  ])('that is %s refuses only its event when others are accepted', async (_, refusal, reason) => {
    const topic = await topicThat((name) => (name === 'b' ? refusal : undefined));
    expect(await topic.publish([a, b, c])).toEqual([{ event: b, reason }]);
    expect(await namesArrived()).toEqual(['a', 'c']);
  });

  it('is the event’s also when it comes before anything is accepted, and alone in its call', async () => {
    const many = Array.from({ length: 10 }, (_, i) => eventOf(`e${i}`));
    const topic = await topicThat((name) => (name === 'b' ? teapot : undefined));
    expect(await topic.publish([...many, b])).toEqual([{ event: b, reason: unheardOf }]);
    calls.length = 0;
    expect(await topic.publish([b, ...many])).toEqual([{ event: b, reason: unheardOf }]);
    expect(calls).toContainEqual(['b']);
  });

  it.each([
    ['calls', teapot],
    ['entries', { Code: 'UnheardOf', Message: 'no such luck', SenderFault: true }],
  ])('of all %s is the topic’s: no event is refused', async (_, refusal) => {
    const topic = await topicThat(() => refusal);
    for (const events of [[a], [a, b, c]]) {
      const published = topic.publish(events);
      await expect(published).rejects.toThrow(PublishFailedError);
      await expect(published).rejects.toThrow(
        `accepted 0 of ${events.length} events; ${events.length} remain: ${unheardOf}`,
      );
    }
  });

  it('is the topic’s when it begins in the middle: most events are good', async () => {
    const topic = await topicThat((name) => (name === 'a' ? undefined : teapot));
    await expect(topic.publish([a, b, c])).rejects.toThrow(/accepted 1 of 3 events; 2 remain/);
  });

  it('lets no later event of the same entity through before it is clear whose it is', async () => {
    const topic = await topicThat(() => (calls.length > 1 ? undefined : teapot));
    await expect(topic.publish([a, eventOf('a', { action: 'deleted' })])).rejects.toThrow(
      PublishFailedError,
    );
    expect(calls).toEqual([['a']]);
  });

  it('about our rights or the topic is not tried out event by event', async () => {
    for (const status of [401, 403, 404]) {
      const topic = await topicThat(() => awsError('UnheardOf', 'no', status));
      await expect(topic.publish([a, b])).rejects.toThrow(PublishFailedError);
      expect(calls).toHaveLength(1);
    }
  });
});
