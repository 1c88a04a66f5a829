import type { PublishBatchRequestEntry } from '@aws-sdk/client-sns';
import { describe, expect, it } from 'vitest';
import { SnsTopic } from '../../../../functions/adapters/sns/event-topic.ts';
import { eventOf } from '../../../support/samples.ts';
import { testAws } from '../../../support/test-aws.ts';
import { onPublish, refuseMessages } from './publish-calls.ts';

const aws = testAws();

/** A topic that an event of a kilobyte overflows, and the entries and claims that it sends. */
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

it('an event that is published again has the same body, attributes, group, id and stored event', async () => {
  const { topic, entries, claims } = watchedTopic('arn:aws:sns:us-east-1:0:t.fifo');
  const changed = ['größe', 'x'.repeat(400)];
  for (const object of [{ name: 'North' }, { drawing: 'x'.repeat(1_500) }]) {
    entries.length = 0;
    for (const recordedtime of ['2024-01-01T00:01:00.000Z', '2024-01-01T00:02:00.000Z'])
      await topic.publish([{ ...eventOf('a', { object, changed }), recordedtime }]);
    const [first, second] = entries.map((entry) => ({
      ...entry,
      Message: entry.Message?.replace(':02:', ':01:'),
    }));
    expect(second).toEqual(first);
  }
  expect(claims[1]?.replace(':02:', ':01:')).toBe(claims[0]);
});

describe('on a FIFO topic', () => {
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

it('on a standard topic a message has no group', async () => {
  const { topic, entries } = watchedTopic('arn:aws:sns:us-east-1:0:t');
  await topic.publish([eventOf('a')]);
  expect(entries[0]).not.toHaveProperty('MessageGroupId');
  expect(entries[0]).not.toHaveProperty('MessageDeduplicationId');
});
