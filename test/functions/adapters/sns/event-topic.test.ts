import { setImmediate } from 'node:timers/promises';
import { ThrottledException, type SNSClient } from '@aws-sdk/client-sns';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ClaimCheck } from '../../../../functions/adapters/shared/claim-check.ts';
import { SnsTopic } from '../../../../functions/adapters/sns/event-topic.ts';
import type { ChangeEvent } from '../../../../functions/core/contract/events.ts';
import { PublishFailedError } from '../../../../functions/core/model/errors.ts';
import { eventOf } from '../../../support/samples.ts';
import { testAws } from '../../../support/test-aws.ts';
import { awsError, drainEvents, eventName, recordBytes, refuseMessages } from './publish-calls.ts';

const retry = { maxTries: 3, baseDelayMs: 1, maxDelayMs: 2 };

const aws = testAws();
let client: SNSClient;
let topicArn: string;
let queueUrl: string;
let topic: SnsTopic;
let claimCheck: ClaimCheck;

beforeAll(async () => {
  claimCheck = await aws.createClaimCheck();
});

beforeEach(async () => {
  client = aws.freshClients().sns;
  ({ topicArn, queueUrl } = await aws.createTopic());
  topic = new SnsTopic({ client, topicArn, claimCheck, retry });
});

const internal = { Code: 'InternalError', Message: 'try again', SenderFault: false };

const arrived = async (): Promise<string[]> =>
  (await drainEvents(aws, queueUrl)).map(eventName).sort();

const events = (...ids: string[]): ChangeEvent[] => ids.map((id) => eventOf(id));
const numbered = (count: number): ChangeEvent[] =>
  Array.from({ length: count }, (_, i) => eventOf(String(i)));

describe('message attributes', () => {
  async function attributesOf(event: ChangeEvent): Promise<Record<string, string[]>> {
    await topic.publish([event]);
    const [message] = await aws.drain(queueUrl);
    return Object.fromEntries(
      Object.entries(message?.MessageAttributes ?? {}).map(([name, value]) => [
        name,
        [value.DataType ?? '', value.StringValue ?? ''],
      ]),
    );
  }

  it('repeat what routing needs', async () => {
    expect(await attributesOf(eventOf('a', { changed: ['name', 'color'] }))).toEqual({
      type: ['String', 'floorplan.updated'],
      entity: ['String', 'floorplan'],
      action: ['String', 'updated'],
      project_id: ['String', 'p1'],
      account_id: ['String', '42'],
      cause: ['String', 'poll'],
      changed: ['String.Array', '["name","color"]'],
    });
  });

  it('unknown and empty values have no attribute, since SNS refuses empty values', async () => {
    const { projectid, ...event } = eventOf('a', { action: 'created', changed: [] });
    expect(Object.keys(await attributesOf({ ...event, accountid: '' })).sort()).toEqual([
      'action',
      'cause',
      'entity',
      'type',
    ]);
  });

  it.each(['\u0000', '\uffff', '\ud800'])(
    'a value with %j has no attribute, since SNS cannot carry it',
    async (character) => {
      const event = { ...eventOf('a'), projectid: `p${character}`, accountid: `${character}42` };
      const attributes = Object.keys(await attributesOf(event));
      expect(attributes).toContain('changed');
      expect(attributes).not.toContain('project_id');
      expect(attributes).not.toContain('account_id');
    },
  );
});

describe('batches', () => {
  it('an event of exactly the limit is published whole, one byte more goes to the claim check', async () => {
    const calls = recordBytes(client);
    const object = { notes: 'x'.repeat(1_000) };
    const event = { ...eventOf('a', { object, changed: [] }), accountid: 'zwölf' };
    await topic.publish([event]);
    const bytes = calls[0] ?? 0;
    const exact = new SnsTopic({ client, topicArn, claimCheck, retry, maxBytes: bytes });
    await exact.publish([event]);
    const tight = new SnsTopic({ client, topicArn, claimCheck, retry, maxBytes: bytes - 1 });
    await tight.publish([event]);
    const bodies = (await aws.drain(queueUrl)).map(({ Body = '' }) => JSON.parse(Body) as object);
    expect(bodies.map((body) => 'dataref' in body)).toEqual([false, false, true]);
  });
});

describe('entries that fail', () => {
  it('are sent again alone when the fault is not ours', async () => {
    let failures = 2;
    const calls = refuseMessages(client, (sent) =>
      sent === 'b' && failures-- > 0 ? internal : undefined,
    );
    expect(await topic.publish(events('a', 'b', 'c'))).toEqual([]);
    expect(calls.map((sent) => sent.length)).toEqual([3, 1, 1]);
    expect(await arrived()).toEqual(['a', 'b', 'c']);
  });

  it("are refused with the topic's words when the fault is the event's", async () => {
    const words = { Code: 'InvalidParameter', Message: 'bad attribute', SenderFault: true };
    const calls = refuseMessages(client, (name) => (name === 'b' ? words : undefined));
    const [a, b, c] = [eventOf('a'), eventOf('b'), eventOf('c')];
    expect(await topic.publish([a, b, c])).toEqual([
      { event: b, reason: 'InvalidParameter: bad attribute' },
    ]);
    expect(calls).toHaveLength(1);
    expect(await arrived()).toEqual(['a', 'c']);
  });

  it('are sent again until they are accepted when throttled, even if that counts as our fault', async () => {
    let failures = 3 * retry.maxTries;
    const throttled = { Code: 'KMSThrottlingException', Message: 'slow', SenderFault: true };
    refuseMessages(client, () => (failures-- > 0 ? throttled : undefined));
    expect(await topic.publish(events('a'))).toEqual([]);
    expect(await arrived()).toEqual(['a']);
  });

  it('are not refused when the fault is in the rights: that is for the operator', async () => {
    const denied = { Code: 'KMSAccessDenied', Message: 'no key', SenderFault: true };
    const calls = refuseMessages(client, (name) => (name === 'a' ? denied : undefined));
    const published = topic.publish(events('a', 'b'));
    await expect(published).rejects.toThrow(/accepted 1 of 2 events; 1 remain: KMSAccessDenied/);
    await expect(published).rejects.toHaveProperty('hint', expect.stringContaining('role'));
    expect(calls).toHaveLength(1);
  });

  it('end in an error with counts and last failure after all tries', async () => {
    const calls = refuseMessages(client, (name) => (name === 'b' ? internal : undefined));
    const published = topic.publish(events('a', 'b', 'c'));
    await expect(published).rejects.toThrow(PublishFailedError);
    await expect(published).rejects.toThrow(
      `Topic ${topicArn} accepted 2 of 3 events; 1 remain: InternalError: try again`,
    );
    await expect(published).rejects.toHaveProperty('hint', expect.stringMatching(/next run/));
    expect(calls.map((sent) => sent.length)).toEqual([3, 1, 1, 1]);
  });
});

describe('calls that fail', () => {
  it.each([
    ['throttled', new ThrottledException({ message: 'slow', $metadata: { httpStatusCode: 429 } })],
    ['an error of the service', awsError('InternalFailure', 'oops', 500)],
    ['not written by SNS', Object.assign(new Error(), { $metadata: { httpStatusCode: 400 } })],
    ['without an answer', Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })],
  ])('are made again: %s', async (_, error) => {
    const calls = refuseMessages(client, (_name, _call, callCount) =>
      callCount <= 2 ? error : undefined,
    );
    expect(await topic.publish(events('a', 'b'))).toEqual([]);
    expect(calls).toHaveLength(3);
    expect(await arrived()).toEqual(['a', 'b']);
  });

  it('end in an error after all tries, and no further batch is begun', async () => {
    topic = new SnsTopic({ client, topicArn, claimCheck, retry, concurrency: 1 });
    const calls = refuseMessages(client, () => awsError('ServiceUnavailable', 'down', 503));
    const published = topic.publish(numbered(30));
    await expect(published).rejects.toThrow(/accepted 0 of 30 events; 30 remain: .*down/);
    await setImmediate();
    expect(calls).toHaveLength(retry.maxTries);
  });

  it('end at once when the topic is not there', async () => {
    topic = new SnsTopic({ client, topicArn: `${topicArn}-gone`, claimCheck, retry });
    const calls = refuseMessages(client, () => undefined);
    const published = topic.publish(events('a'));
    await expect(published).rejects.toThrow(PublishFailedError);
    await expect(published).rejects.toHaveProperty('hint', expect.stringContaining('exist'));
    expect(calls).toHaveLength(1);
  });
});
