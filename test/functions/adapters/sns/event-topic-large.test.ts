import { beforeEach, describe, expect, it } from 'vitest';
import {
  ClaimCheckFailedError,
  type ClaimCheck,
} from '../../../../functions/adapters/shared/claim-check.ts';
import { SnsTopic } from '../../../../functions/adapters/sns/event-topic.ts';
import type { ChangeEvent, ClaimCheckEvent } from '../../../../functions/core/contract/events.ts';
import { PublishFailedError } from '../../../../functions/core/model/errors.ts';
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

describe('an event over the limit', () => {
  it('has as many names of changed fields as fit beside its claim check', async () => {
    const changed = Array.from({ length: 40_000 }, (_, i) => `field-${i}`);
    await topicWith(keep).publish([eventOf('a', { changed })]);
    const [message] = await received();
    expect(message?.body).toHaveProperty('dataref');
    const names = JSON.parse(message?.attributes['changed'] ?? '') as string[];
    expect(names.length).toBeGreaterThan(15_000);
    expect(names).toEqual([...changed.slice(0, names.length - 1), '*']);
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
