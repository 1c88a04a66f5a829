import type { PublishBatchRequestEntry } from '@aws-sdk/client-sns';
import { describe, expect, it } from 'vitest';
import { SnsTopic } from '../../../../functions/adapters/sns/event-topic.ts';
import { eventOf } from '../../../support/samples.ts';
import { testAws } from '../../../support/test-aws.ts';
import { onPublish } from './publish-calls.ts';

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
  it('a parent and its nested entities have separate groups', async () => {
    const { topic, entries } = watchedTopic('arn:aws:sns:us-east-1:0:t.fifo');
    const subject = '/projects/p1/floorplans/a/sheet/s';
    await topic.publish([eventOf('a'), eventOf('s', { entity: 'sheet', subject })]);
    expect(entries.map(({ MessageGroupId }) => MessageGroupId)).toEqual(['a', 's']);
  });
});

it('on a standard topic a message has no group', async () => {
  const { topic, entries } = watchedTopic('arn:aws:sns:us-east-1:0:t');
  await topic.publish([eventOf('a')]);
  expect(entries[0]).not.toHaveProperty('MessageGroupId');
  expect(entries[0]).not.toHaveProperty('MessageDeduplicationId');
});
