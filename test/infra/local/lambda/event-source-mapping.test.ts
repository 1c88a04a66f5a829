import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  GetQueueAttributesCommand,
  SendMessageBatchCommand,
} from '@aws-sdk/client-sqs';
import type { SQSEvent } from 'aws-lambda';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  EventSourceMapping,
  type MappingDefinition,
} from '../../../../infra/local/lambda/event-source-mapping.ts';
import { startClients } from '../../../support/embedded.ts';

type Work = (event: SQSEvent) => unknown;

interface SetUp extends Partial<MappingDefinition> {
  readonly instances?: number;
  readonly attributes?: Record<string, string>;
}

const QUEUE_ARN = 'arn:aws:sqs:us-east-1:000000000000:work';

/** A mapping of a queue to a function that does the work. */
async function setUp(work: Work, { instances = 1, attributes = {}, ...definition }: SetUp = {}) {
  const { sqs } = await startClients();
  const { QueueUrl = '' } = await sqs.send(
    new CreateQueueCommand({
      QueueName: 'work',
      Attributes: { VisibilityTimeout: '1', ...attributes },
    }),
  );
  const problems: string[] = [];
  const events: SQSEvent[] = [];
  const invoke = (event: unknown): Promise<unknown> => {
    events.push(event as SQSEvent);
    return Promise.resolve(work(event as SQSEvent));
  };
  const mapping = new EventSourceMapping(
    {
      ...{ uuid: 'u', arn: 'a', functionArn: 'f', queueArn: QUEUE_ARN, queueUrl: QueueUrl },
      ...{ batchSize: 10, hasItemFailures: true, isEnabled: true, ...definition },
    },
    {
      sqs,
      instances: Array.from({ length: instances }, () => ({ invoke })),
      onProblem: (problem, { message }) => problems.push(`${problem}: ${message}`),
    },
  );
  onTestFinished(() => mapping.close());
  const send = (...bodies: string[]) =>
    sqs.send(
      new SendMessageBatchCommand({
        QueueUrl,
        Entries: bodies.map((MessageBody, index) => ({
          Id: String(index),
          MessageBody,
          MessageAttributes: { type: { DataType: 'String', StringValue: MessageBody } },
        })),
      }),
    );
  const count = async (): Promise<number> => {
    const { Attributes = {} } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
    );
    return (
      Number(Attributes.ApproximateNumberOfMessages) +
      Number(Attributes.ApproximateNumberOfMessagesNotVisible)
    );
  };
  const bodies = () => events.map(({ Records }) => Records.map(({ body }) => body).join(' '));
  const isEmpty = () => expect.poll(() => count(), { timeout: 8_000 }).toBe(0);
  return { sqs, QueueUrl, mapping, send, count, isEmpty, events, bodies, problems };
}

const failuresOf = (...ids: unknown[]) => ({
  batchItemFailures: ids.map((itemIdentifier) => ({ itemIdentifier })),
});

describe('EventSourceMapping', () => {
  it('hands over messages as Lambda does, and deletes them', async () => {
    const { send, isEmpty, events } = await setUp(() => null);
    await send('one', 'two');
    await isEmpty();
    const [first] = events.flatMap(({ Records }) => Records);
    expect(first).toEqual({
      messageId: expect.any(String) as string,
      receiptHandle: expect.any(String) as string,
      body: 'one',
      attributes: {
        SenderId: '000000000000',
        SentTimestamp: expect.stringMatching(/^\d{13}$/) as string,
        ApproximateReceiveCount: '1',
        ApproximateFirstReceiveTimestamp: expect.stringMatching(/^\d{13}$/) as string,
      },
      messageAttributes: {
        type: {
          stringValue: 'one',
          dataType: 'String',
          stringListValues: [],
          binaryListValues: [],
        },
      },
      md5OfBody: 'f97c5d29941bfb1b2fdab0874906ab82',
      md5OfMessageAttributes: expect.any(String) as string,
      eventSource: 'aws:sqs',
      eventSourceARN: QUEUE_ARN,
      awsRegion: 'us-east-1',
    });
  });

  it('leaves what failed hidden until its visibility timeout, then tries it again', async () => {
    const counts: string[] = [];
    const { send, isEmpty, bodies } = await setUp(({ Records }) => {
      const failed = Records.find(({ body }) => body === 'bad');
      counts.push(...(failed ? [failed.attributes.ApproximateReceiveCount] : []));
      return failuresOf(...(failed && counts.length < 2 ? [failed.messageId] : []));
    });
    const start = performance.now();
    await send('good', 'bad');
    await isEmpty();
    expect(bodies()).toEqual(['good bad', 'bad']);
    expect(counts).toEqual(['1', '2']);
    expect(performance.now() - start).toBeGreaterThan(950);
  });

  it.each<[string, Work, SetUp, boolean]>([
    ['an empty answer', () => ({}), {}, true],
    ['no answer', () => undefined, {}, true],
    ['no list', () => ({ batchItemFailures: null }), {}, true],
    ['an empty list', () => failuresOf(), {}, true],
    ['an error', () => Promise.reject(new Error('broken')), {}, false],
    ['an empty id', () => failuresOf(''), {}, false],
    ['an id that is null', () => failuresOf(null), {}, false],
    ['another id', () => failuresOf('other'), {}, false],
    ['one id of two', ({ Records }) => failuresOf(Records[0]?.messageId, 'other'), {}, false],
    ['an entry without its field', () => ({ batchItemFailures: [{ id: '1' }] }), {}, false],
    ['a text', () => 'done', {}, false],
    ['a text without item failures', () => 'done', { hasItemFailures: false }, true],
  ])('takes %s as Lambda does', async (_, work, options, isDone) => {
    const { send, count, events } = await setUp(work, {
      ...options,
      attributes: { VisibilityTimeout: '60' },
    });
    await send('message');
    await expect.poll(() => events).toHaveLength(1);
    if (isDone) await expect.poll(() => count()).toBe(0);
    else {
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(await count()).toBe(1);
    }
  });

  it('says why a batch failed', async () => {
    const { send, problems } = await setUp(() => Promise.reject(new Error('Runtime.ExitError')));
    await send('message');
    const problem = 'A batch of 1 messages failed, and follows later: Runtime.ExitError';
    await expect.poll(() => problems).toContain(problem);
  });

  it('lets a message wait as long as the function says', async () => {
    let times = 0;
    const running = await setUp(async ({ Records }) => {
      const ReceiptHandle = Records[0]?.receiptHandle;
      times += 1;
      if (times > 1) return undefined;
      const { sqs, QueueUrl } = running;
      await sqs.send(
        new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 2 }),
      );
      return failuresOf(Records[0]?.messageId);
    });
    const start = performance.now();
    await running.send('message');
    await running.isEmpty();
    expect(performance.now() - start).toBeGreaterThan(1_950);
    expect(times).toBe(2);
  });

  it('works as many batches at a time as it has instances, each within its size', async () => {
    let running = 0;
    let most = 0;
    const { send, isEmpty, bodies } = await setUp(
      async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setTimeout(resolve, 50));
        running -= 1;
      },
      { instances: 2, batchSize: 2, attributes: { VisibilityTimeout: '60' } },
    );
    await send('1', '2', '3', '4', '5', '6', '7', '8');
    await isEmpty();
    expect(most).toBe(2);
    expect(bodies()).toEqual(['1 2', '3 4', '5 6', '7 8']);
  });

  it('tells when all has been tried that the queue shows', async () => {
    const done: string[] = [];
    const { mapping, send, count } = await setUp(
      async ({ Records }) => {
        await new Promise((resolve) => setTimeout(resolve, 50));
        done.push(...Records.map(({ body }) => body));
        const failed = Records.filter(({ body }) => body === '3');
        return failuresOf(...failed.map(({ messageId }) => messageId));
      },
      { batchSize: 1, attributes: { VisibilityTimeout: '60' } },
    );
    await send('1', '2', '3', '4');
    await mapping.settle(new AbortController().signal);
    expect([done, await count()]).toEqual([['1', '2', '3', '4'], 1]);
    await send('5');
    await mapping.settle(AbortSignal.abort());
    expect(done).toHaveLength(4);
  });

  it('leaves messages in the queue while it is disabled, and goes on when it is enabled', async () => {
    const { mapping, send, count, isEmpty, events } = await setUp(() => null, { isEnabled: false });
    expect(mapping.state).toBe('Disabled');
    await send('waits');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect([await count(), events.length]).toEqual([1, 0]);
    mapping.setEnabled(true);
    await isEmpty();
    expect(events[0]?.Records[0]?.attributes.ApproximateReceiveCount).toBe('1');
    mapping.setEnabled(false);
    expect(mapping.state).toBe('Disabling');
    await expect.poll(() => mapping.state, { timeout: 5_000 }).toBe('Disabled');
  });
});
