import type {
  BatchResultErrorEntry,
  PublishBatchCommandInput,
  PublishBatchCommandOutput,
} from '@aws-sdk/client-sns';
import { beforeEach, describe, expect, it } from 'vitest';
import { SnsTopic } from '../../../../functions/adapters/sns/event-topic.ts';
import {
  ClaimCheckFailedError,
  PublishFailedError,
} from '../../../../functions/core/model/errors.ts';
import type { ChangeEvent, ClaimCheckEvent } from '../../../../functions/core/contract/events.ts';
import { testAws } from '../../../support/test-aws.ts';
import { eventOf } from '../../../support/samples.ts';
import { scriptCalls } from '../../../support/script-calls.ts';
import { type ClaimCheck } from '../../../../functions/core/ports/event-topic.ts';

const retry = { maxTries: 1, baseDelayMs: 1, maxDelayMs: 2 };

const aws = testAws();
let topicArn: string;
let queueUrl: string;
/** What each call carried: ids of entities, those of references with a `→`. */
let calls: string[][];

beforeEach(async () => {
  ({ topicArn, queueUrl } = await aws.createTopic());
  calls = [];
});

type Refusal = Error | Omit<BatchResultErrorEntry, 'Id'> | undefined;

/**
 * A topic that refuses what it is told to.
 *
 * @param refusalOf an error fails the call, an entry fails what is `sent` in it.
 */
async function topicThat(
  refusalOf: (sent: string) => Refusal,
  claimCheck?: ClaimCheck,
): Promise<SnsTopic> {
  const { sns } = aws.freshClients();
  scriptCalls<PublishBatchCommandInput, PublishBatchCommandOutput>(
    sns,
    'PublishBatchCommand',
    async (input, proceed) => {
      const entries = input.PublishBatchRequestEntries ?? [];
      const call = entries.map(({ Message = '' }) => nameOf(Message));
      calls.push(call);
      const refusals = call.map(refusalOf);
      const error = refusals.find((refusal) => refusal instanceof Error);
      if (error) throw error;
      const Failed = refusals.flatMap((refusal, i) =>
        refusal === undefined || refusal instanceof Error
          ? []
          : [{ ...refusal, Id: entries[i]?.Id }],
      );
      const accepted = entries.filter((_, i) => refusals[i] === undefined);
      if (accepted.length === 0) return { Failed, $metadata: {} };
      return { ...(await proceed({ ...input, PublishBatchRequestEntries: accepted })), Failed };
    },
  );
  const kept = claimCheck ?? (await aws.createClaimCheck());
  return new SnsTopic({ client: sns, topicArn, claimCheck: kept, retry });
}

function nameOf(message: string): string {
  const event = JSON.parse(message) as ChangeEvent | ClaimCheckEvent;
  return `${'dataref' in event ? '→' : ''}${event.partitionkey}`;
}

const awsError = (name: string, message: string, httpStatusCode: number): Error =>
  Object.assign(new Error(message), { name, $metadata: { httpStatusCode } });

/** What arrived, in no particular order. */
async function arrived(): Promise<(ChangeEvent | ClaimCheckEvent)[]> {
  const messages = await aws.drain(queueUrl);
  return messages.map(({ Body = '' }) => JSON.parse(Body) as ChangeEvent | ClaimCheckEvent);
}
const namesArrived = async (): Promise<string[]> =>
  (await arrived()).map((event) => nameOf(JSON.stringify(event))).sort();

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

describe('an event that SNS finds too large, though we counted otherwise', () => {
  it.each(TOO_LARGE)('is kept whole, and a reference arrives: %s', async (_, refusal) => {
    const claimCheck = await aws.createClaimCheck();
    const topic = await topicThat((sent) => (sent === 'a' ? refusal : undefined), claimCheck);
    expect(await topic.publish([a])).toEqual([]);
    const [reference] = await arrived();
    const { data, ...attributes } = a;
    expect(reference).toMatchObject(attributes);
    expect(reference).not.toHaveProperty('data');
    const { text } = await aws.read((reference as ClaimCheckEvent).dataref);
    expect(JSON.parse(text)).toHaveProperty('data', data);
    expect(calls).toEqual([['a'], ['→a']]);
  });

  it.each(TOO_LARGE)('lets the others of its call arrive whole: %s', async (_, refusal) => {
    const topic = await topicThat((sent) => (sent === 'b' ? refusal : undefined));
    expect(await topic.publish([a, b, c])).toEqual([]);
    expect(await namesArrived()).toEqual(['a', 'c', '→b']);
  });

  it.each(TOO_LARGE)('is set aside if its reference is too large, too: %s', async (_, refusal) => {
    const topic = await topicThat((sent) => (sent.endsWith('b') ? refusal : undefined));
    const refused = await topic.publish([a, b]);
    expect(refused.map(({ event }) => event)).toEqual([b]);
    expect(await namesArrived()).toEqual(['a']);
    expect(calls.filter((call) => call.includes('→b'))).toHaveLength(1);
  });

  it('is left for the next run if it cannot be kept, with what was accepted and what to do', async () => {
    const put = () => Promise.reject(new ClaimCheckFailedError('no bucket', { hint: 'Make one.' }));
    const [, refusal] = TOO_LARGE[4] ?? [];
    const topic = await topicThat((sent) => (sent === 'b' ? refusal : undefined), { put });
    const published = topic.publish([a, b]);
    await expect(published).rejects.toThrow(/accepted 1 of 2 events; 1 remain: .*no bucket/);
    await expect(published).rejects.toHaveProperty('hint', 'Make one.');
  });
});

describe('an error that nobody knows', () => {
  it('spoils only the event that it is about when others are accepted', async () => {
    const topic = await topicThat((sent) => (sent === 'b' ? teapot : undefined));
    expect(await topic.publish([a, b, c])).toEqual([{ event: b, reason: unheardOf }]);
    expect(await namesArrived()).toEqual(['a', 'c']);
  });

  it('is the event’s also when it comes before anything is accepted, and alone in its call', async () => {
    const many = Array.from({ length: 10 }, (_, i) => eventOf(`e${i}`));
    const topic = await topicThat((sent) => (sent === 'b' ? teapot : undefined));
    expect(await topic.publish([...many, b])).toEqual([{ event: b, reason: unheardOf }]);
    calls = [];
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
    const topic = await topicThat((sent) => (sent === 'a' ? undefined : teapot));
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
      calls = [];
      const topic = await topicThat(() => awsError('UnheardOf', 'no', status));
      await expect(topic.publish([a, b])).rejects.toThrow(PublishFailedError);
      expect(calls).toHaveLength(1);
    }
  });
});
