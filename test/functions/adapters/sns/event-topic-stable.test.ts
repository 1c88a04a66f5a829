import type { PublishBatchRequestEntry } from '@aws-sdk/client-sns';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SnsTopic } from '../../../../functions/adapters/sns/event-topic.ts';
import { makeEvent } from '../../../../functions/core/events/make-event.ts';
import { type Change } from '../../../../functions/core/model/change.ts';
import { invalidReason } from '../../../../functions/core/model/entity.ts';
import { anyCharacter, anyOf, timestamp } from '../../../support/arbitraries.ts';
import { eventOf } from '../../../support/samples.ts';
import { testAws } from '../../../support/test-aws.ts';
import { onPublish, refuseMessages } from './publish-calls.ts';

const aws = testAws();
const name = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 8 }),
  fc.constant('x'.repeat(400)),
);
const usableId = fc
  .string({
    unit: fc.constantFrom('a', 'Z', '0', '9', '.', '_', ':', '~', '-'),
    minLength: 1,
    maxLength: 128,
  })
  .filter((id) => invalidReason({ id, updated_at: '2024-01-01T00:00:00Z' }) === undefined);
const object = fc.dictionary(name, fc.jsonValue());
const change = anyOf<Change>(
  {
    action: fc.constantFrom('created', 'updated', 'deleted', 'restored'),
    entity: fc.constantFrom('project', 'floorplan', 'template_check_item'),
    id: usableId,
    subject: fc.constant('/projects/p/floorplans/f'),
    time: timestamp,
    sequence: timestamp,
    object,
    changed: fc.uniqueArray(name),
    previous: object,
  },
  ['action', 'entity', 'id', 'subject', 'time', 'sequence', 'object', 'changed'],
);
const place = anyOf<{ accountId?: string; projectId?: string }>(
  { accountId: name, projectId: name },
  [],
);

/** A topic that small events overflow, and the entries and claims that it sends. */
function watchedTopic(topicArn: string) {
  const { sns } = aws.freshClients();
  const entries: PublishBatchRequestEntry[] = [];
  onPublish(sns, ({ PublishBatchRequestEntries: sent = [] }) => {
    entries.push(...sent);
    return { Successful: sent.map(({ Id }) => ({ Id, MessageId: Id })), $metadata: {} };
  });
  const claims: string[] = [];
  const claimCheck = {
    put: (id: string, json: string) => {
      claims.push(json);
      return Promise.resolve(`s3://large/events/${id}.json`);
    },
  };
  const topic = new SnsTopic({ client: sns, topicArn, claimCheck, maxBytes: 1_500 });
  return { topic, entries, claims };
}

const withoutRecordedTime = (json = ''): string =>
  json.replace(/"recordedtime":"[^"]*"/, '"recordedtime":""');

describe('an event that is published again', () => {
  it('differs in recordedtime only: body, attributes, group, id and stored event are equal', async () => {
    const { topic, entries, claims } = watchedTopic('arn:aws:sns:us-east-1:0:t.fifo');
    await fc.assert(
      fc.asyncProperty(change, place, timestamp, timestamp, async (change, place, ...times) => {
        entries.length = 0;
        claims.length = 0;
        for (const time of times) {
          const context = { source: 'https://s.example/api/v3', cause: 'poll', ...place } as const;
          await topic.publish([makeEvent(change, { ...context, now: time })]);
        }
        const [first, second] = entries.map((entry) => ({
          ...entry,
          Message: withoutRecordedTime(entry.Message),
        }));
        expect(second).toEqual(first);
        const [firstClaim, secondClaim] = claims.map(withoutRecordedTime);
        expect(secondClaim).toBe(firstClaim);
      }),
      { numRuns: 200 },
    );
    expect(entries.length + claims.length).toBeGreaterThan(0);
  });
});

describe('on a FIFO topic', () => {
  it('a parent and its nested entities have separate groups', async () => {
    const { topic, entries } = watchedTopic('arn:aws:sns:us-east-1:0:t.fifo');
    const subject = '/projects/p1/floorplans/a/sheet/s';
    await topic.publish([eventOf('a'), eventOf('s', { entity: 'sheet', subject })]);
    expect(entries.map(({ MessageGroupId }) => MessageGroupId)).toEqual(['a', 's']);
  });

  it('an event waits until the one before it of its group is accepted, wherever that stands', async () => {
    const { sns } = aws.freshClients();
    const { topicArn, queueUrl } = await aws.createTopic({ fifo: true });
    const failure = { Code: 'InternalError', SenderFault: false };
    const calls = refuseMessages(
      sns,
      (_name, _call, callCount) => (callCount === 1 ? failure : undefined),
      ({ subject }) => subject,
    );
    const claimCheck = await aws.createClaimCheck();
    const retry = { maxTries: 3, baseDelayMs: 1, maxDelayMs: 2 };
    const topic = new SnsTopic({ client: sns, topicArn, claimCheck, retry });
    await topic.publish([eventOf('a', { subject: '/one/a' }), eventOf('a', { subject: '/two/a' })]);
    expect(calls).toEqual([['/one/a'], ['/one/a'], ['/two/a']]);
    expect(await aws.drain(queueUrl)).toHaveLength(2);
  });
});

describe('on a standard topic', () => {
  it('a message has no group', async () => {
    const { topic, entries } = watchedTopic('arn:aws:sns:us-east-1:0:t');
    await topic.publish([eventOf('a')]);
    expect(entries[0]).not.toHaveProperty('MessageGroupId');
    expect(entries[0]).not.toHaveProperty('MessageDeduplicationId');
  });
});
