import { beforeEach, describe, expect, it } from 'vitest';
import { SnsTopic } from '../../../../functions/adapters/sns/event-topic.ts';
import { PublishFailedError } from '../../../../functions/core/model/errors.ts';
import { eventOf } from '../../../support/samples.ts';
import { testAws } from '../../../support/test-aws.ts';
import { awsError, drainEvents, eventName, refuseMessages, type Refusal } from './publish-calls.ts';

const retry = { maxTries: 1, baseDelayMs: 1, maxDelayMs: 2 };

const aws = testAws();
let topicArn: string;
let queueUrl: string;

beforeEach(async () => {
  ({ topicArn, queueUrl } = await aws.createTopic());
});

/** A topic that refuses messages by their names. */
async function topicThat(refusalOf: (name: string) => Refusal): Promise<SnsTopic> {
  const { sns } = aws.freshClients();
  refuseMessages(sns, refusalOf);
  const claimCheck = await aws.createClaimCheck();
  return new SnsTopic({ client: sns, topicArn, claimCheck, retry });
}

const namesArrived = async (): Promise<string[]> =>
  (await drainEvents(aws, queueUrl)).map(eventName).sort();

const [a, b, c] = [eventOf('a'), eventOf('b'), eventOf('c')];
const [unheardOf, teapot] = ['UnheardOf: no such luck', awsError('UnheardOf', 'no such luck', 418)];

const TOO_LARGE: [string, Exclude<Refusal, undefined>][] = [
  ['HTTP 413', awsError('Unknown', 'unknown', 413)],
  ['RequestEntityTooLarge', awsError('RequestEntityTooLarge', 'over the limit', 400)],
  ['a failed entry', { Code: 'InvalidParameter', Message: 'Message too long', SenderFault: true }],
];

it.each(TOO_LARGE)('an event that SNS finds too large is refused alone: %s', async (_, refusal) => {
  const topic = await topicThat((name) => (name === 'b' ? refusal : undefined));
  const refused = await topic.publish([a, b, c]);
  expect(refused.map(({ event }) => event)).toEqual([b]);
  expect(await namesArrived()).toEqual(['a', 'c']);
});

describe('an error of a call', () => {
  it('about a parameter refuses only its event', async () => {
    const refusal = awsError('InvalidParameterException', 'Invalid parameter: Message', 400);
    const reason = 'InvalidParameterException: Invalid parameter: Message';
    const topic = await topicThat((name) => (name === 'b' ? refusal : undefined));
    expect(await topic.publish([a, b, c])).toEqual([{ event: b, reason }]);
    expect(await namesArrived()).toEqual(['a', 'c']);
  });

  it.each([
    ['calls', teapot],
    ['entries', { Code: 'UnheardOf', Message: 'no such luck', SenderFault: true }],
  ])('of %s with an unknown name is the topic’s: no event is refused', async (_, refusal) => {
    const topic = await topicThat(() => refusal);
    for (const events of [[a], [a, b, c]]) {
      const published = topic.publish(events);
      await expect(published).rejects.toThrow(PublishFailedError);
      await expect(published).rejects.toThrow(
        `accepted 0 of ${events.length} events; ${events.length} remain: ${unheardOf}`,
      );
    }
  });
});
