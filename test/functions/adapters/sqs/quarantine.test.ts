import { gunzipSync } from 'node:zlib';
import type {
  BatchResultErrorEntry,
  SQSClient,
  SendMessageBatchCommandInput,
  SendMessageBatchCommandOutput,
} from '@aws-sdk/client-sqs';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  SqsQuarantine,
  type QuarantineMessage,
} from '../../../../functions/adapters/sqs/quarantine.ts';
import { SitecastError } from '../../../../functions/core/model/errors.ts';
import { parseJson } from '../../../../functions/core/model/json/json.ts';
import { type QuarantinedItem } from '../../../../functions/core/ports/quarantine.ts';
import { eventOf, noise } from '../../../support/samples.ts';
import { scriptCalls } from '../../../support/script-calls.ts';
import { testAws } from '../../../support/test-aws.ts';

const MAX_BYTES = 262_144;
const retry = { maxTries: 3, baseDelayMs: 1, maxDelayMs: 2 };

const aws = testAws();
let client: SQSClient;
let queueUrl: string;
let quarantine: SqsQuarantine;

/** Copies by their address. */
const copies = new Map<string, string>();
const options = {
  retry,
  now: () => Date.parse('2026-11-22T12:00:00Z'),
  copies: {
    put: (id: string, json: string) => {
      const address = `s3://bucket/quarantine/${id}.json`;
      copies.set(address, json);
      return Promise.resolve(address);
    },
  },
};

beforeEach(async () => {
  client = aws.freshClients().sqs;
  queueUrl = await aws.createQueue({ MaximumMessageSize: String(MAX_BYTES) });
  copies.clear();
  quarantine = new SqsQuarantine({ ...options, client, queueUrl });
});

const itemOf = (value: unknown): QuarantinedItem => ({ feed: 'projects', reason: 'r', value });

async function bodies(): Promise<string[]> {
  return (await aws.drain(queueUrl)).map(({ Body = '' }) => Body);
}

type WithoutCopy<Message> = Message extends unknown ? Omit<Message, 'copy'> : never;

/** The messages without the addresses of their copies. */
async function kept(): Promise<WithoutCopy<QuarantineMessage>[]> {
  return (await bodies()).map((body) => {
    const { copy, ...message } = JSON.parse(body) as QuarantineMessage;
    expect(copies.has(copy)).toBe(true);
    return message;
  });
}

/** Records the bodies of each call. Fails some; the embedded queue accepts the others. */
function failMessages(
  failureOf: (body: string) => Omit<BatchResultErrorEntry, 'Id'> | undefined,
): string[][] {
  const calls: string[][] = [];
  scriptCalls<SendMessageBatchCommandInput, SendMessageBatchCommandOutput>(
    client,
    'SendMessageBatchCommand',
    async (input, proceed) => {
      const entries = input.Entries ?? [];
      calls.push(entries.map(({ MessageBody = '' }) => MessageBody));
      const failures = entries.map(({ MessageBody = '' }) => failureOf(MessageBody));
      const taken = entries.filter((_, i) => failures[i] === undefined);
      const Failed = failures.flatMap((failure, i) =>
        failure === undefined ? [] : [{ ...failure, Id: entries[i]?.Id }],
      );
      if (taken.length === 0) return { Failed, Successful: [], $metadata: {} };
      return { ...(await proceed({ ...input, Entries: taken })), Failed };
    },
  );
  return calls;
}

describe('the copy of an item', () => {
  it('is whole, however large its value, and is there before the message', async () => {
    const item = { feed: 'projects', reason: 'r', value: { drawing: noise(600_000) } };
    let copiesBefore = 0;
    failMessages(() => {
      copiesBefore = copies.size;
      return undefined;
    });
    await quarantine.put([item]);
    const [body = ''] = await bodies();
    const { copy } = JSON.parse(body) as QuarantineMessage;
    expect(copy).toMatch(/^s3:\/\/bucket\/quarantine\/2026-11-22\/[0-9a-f]{32}\.json$/);
    expect(JSON.parse(copies.get(copy) ?? '')).toEqual(item);
    expect(copiesBefore).toBe(1);
  });

  it('may have millions of characters that a message must escape', async () => {
    const put = vi.spyOn(String.prototype, 'replace');
    const value = { id: null, notes: '😀'.repeat(2_000_000) };
    await quarantine.put([itemOf(value)]);
    const longest = Math.max(...put.mock.contexts.map((text) => String(text).length));
    put.mockRestore();
    expect(longest).toBeLessThan(MAX_BYTES);
    expect([...copies.values()].map((json) => parseJson(json))).toEqual([itemOf(value)]);
    expect(unpack((await kept())[0])).toEqual(value);
  });

  it('is shared by the repeats of a day', async () => {
    await quarantine.put([itemOf('a')]);
    await quarantine.put([itemOf('a'), itemOf('b')]);
    expect(copies.size).toBe(2);
    expect(await kept()).toHaveLength(3);
  });

  it('that cannot be stored rejects, and nothing is sent', async () => {
    const put = () => Promise.reject(new Error('no bucket'));
    quarantine = new SqsQuarantine({ ...options, copies: { put }, client, queueUrl });
    await expect(quarantine.put([itemOf('a')])).rejects.toThrow('no bucket');
    expect(await kept()).toEqual([]);
  });
});

describe('a message', () => {
  it('that fits exactly is kept unchanged; with one byte more its value is compressed', async () => {
    const copy = `s3://bucket/quarantine/2026-11-22/${'f'.repeat(32)}.json`;
    const room = MAX_BYTES - Buffer.byteLength(JSON.stringify({ ...itemOf(''), copy }));
    await quarantine.put([itemOf('x'.repeat(room))]);
    const [exact = ''] = await bodies();
    expect(Buffer.byteLength(exact)).toBe(MAX_BYTES);
    expect(JSON.parse(exact)).toMatchObject(itemOf('x'.repeat(room)));
    await quarantine.put([itemOf('x'.repeat(room + 1))]);
    const [packed] = await kept();
    expect(packed).toEqual({
      feed: 'projects',
      reason: 'r',
      valueEncoding: 'gzip+base64',
      value: expect.any(String) as string,
    });
    expect(unpack(packed)).toBe('x'.repeat(room + 1));
  });

  it('whose compressed value is too large is kept without it, with its size and identity', async () => {
    const event = eventOf('a', { object: { drawing: noise(600_000) } });
    const item = {
      feed: 'projects',
      cursor: '2024-01-01T00:00:00.000Z',
      reason: 'r',
      value: event,
    };
    await quarantine.put([item]);
    expect(await kept()).toEqual([
      {
        feed: 'projects',
        cursor: '2024-01-01T00:00:00.000Z',
        reason: 'r',
        valueOmitted: true,
        valueBytes: Buffer.byteLength(JSON.stringify(event)),
        identity: { id: event.id, type: 'floorplan.updated', subject: '/projects/p1/floorplans/a' },
      },
    ]);
  });

  it('is kept even if its identity and its reason are too large', async () => {
    const type = parseJson('9007199254740993');
    const value = { id: noise(600_000), type, subject: { not: 'a text' } };
    await quarantine.put([{ feed: 'projects', reason: noise(600_000, 2), value }]);
    const [message] = await kept();
    expect(message).toEqual({
      feed: 'projects',
      reason: noise(1_000, 2),
      valueOmitted: true,
      valueBytes: Buffer.byteLength(JSON.stringify(value)),
      identity: { id: noise(1_000), type: '9007199254740993' },
    });
  });

  it('that is a huge text has no identity', async () => {
    await quarantine.put([itemOf(noise(600_000))]);
    expect(await kept()).toMatchObject([{ valueOmitted: true, identity: {} }]);
  });
});

describe('calls', () => {
  it('hold ten messages and at most 256 KiB in sum', async () => {
    const calls = failMessages(() => undefined);
    await quarantine.put(Array.from({ length: 40 }, (_, i) => itemOf('ü'.repeat(i * 1_500))));
    const sums = calls.map((sent) => sent.map((body) => Buffer.byteLength(body)));
    expect(Math.max(...sums.map((sizes) => sizes.length))).toBe(10);
    expect(Math.max(...sums.map((sizes) => sizes.reduce((a, b) => a + b)))).toBeLessThanOrEqual(
      MAX_BYTES,
    );
    expect(await bodies()).toHaveLength(40);
  });

  it('are repeated for the messages that were not taken, and for those alone', async () => {
    let failures = 2;
    const calls = failMessages((body) =>
      body.includes('"b"') && failures-- > 0
        ? { Code: 'InternalError', Message: 'try again', SenderFault: false }
        : undefined,
    );
    await quarantine.put([itemOf('a'), itemOf('b'), itemOf('c')]);
    expect(calls.map((sent) => sent.length)).toEqual([3, 1, 1]);
    expect(await bodies()).toHaveLength(3);
  });

  it('end in an error with queue, count and last failure after all tries', async () => {
    const calls = failMessages((body) =>
      body.includes('"b"')
        ? { Code: 'KmsThrottled', Message: 'slow down', SenderFault: true }
        : undefined,
    );
    const put = quarantine.put([itemOf('a'), itemOf('b')]);
    await expect(put).rejects.toThrow(SitecastError);
    await expect(put).rejects.toThrow(
      `Queue ${queueUrl} did not accept 1 of 2 messages, 3 times in a row: KmsThrottled: slow down`,
    );
    await expect(put).rejects.toHaveProperty('hint', expect.stringContaining('policy'));
    expect(calls.map((sent) => sent.length)).toEqual([2, 1, 1, 1]);
  });

  it('are repeated for messages that the answer does not mention', async () => {
    let calls = 0;
    scriptCalls<SendMessageBatchCommandInput, SendMessageBatchCommandOutput>(
      client,
      'SendMessageBatchCommand',
      (input, proceed) => {
        calls += 1;
        return calls === 1
          ? { Successful: undefined, Failed: undefined, $metadata: {} }
          : proceed(input);
      },
    );
    await quarantine.put([itemOf('a')]);
    expect(await kept()).toEqual([itemOf('a')]);
  });

  it('that fail as a whole reject, so that the page is read again', async () => {
    quarantine = new SqsQuarantine({ ...options, client, queueUrl: `${queueUrl}-gone` });
    await expect(quarantine.put([itemOf('a')])).rejects.toThrow(/queue does not exist/i);
  });
});

function unpack(message: WithoutCopy<QuarantineMessage> | undefined): unknown {
  if (message === undefined || !('valueEncoding' in message)) throw new TypeError('not packed');
  return JSON.parse(gunzipSync(Buffer.from(message.value, 'base64')).toString());
}
