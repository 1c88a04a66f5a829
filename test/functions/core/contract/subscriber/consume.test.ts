import { beforeEach, describe, expect, it } from 'vitest';
import {
  consume,
  consumeBatch,
  readEvent,
  type QueueMessage,
} from '../../../../../functions/core/contract/index.ts';
import { eventOf } from '../../../../support/samples.ts';

interface Message extends QueueMessage {
  readonly id: string;
}

const message = (id: string, group?: string, body = JSON.stringify(eventOf(id))): Message => ({
  ...{ id, Body: body },
  ...(group !== undefined && { Attributes: { MessageGroupId: group } }),
});
const readNothing = () => Promise.reject(new Error('no event is large here'));

let seen: string[];
let stopping: AbortController;

beforeEach(() => {
  seen = [];
  stopping = new AbortController();
});

/** Consumes batches until there are no more; an error in their place is thrown by `receive`. */
const run = (batches: (Message[] | Error)[], fails: (id: string) => boolean = () => false) =>
  consume<Message>({
    receive: () => {
      const batch = batches.shift() ?? new Error('over');
      if (batches.length === 0) stopping.abort();
      return batch instanceof Error ? Promise.reject(batch) : Promise.resolve(batch);
    },
    remove: ({ id }) =>
      id === 'undeletable' ? Promise.reject(new Error(id)) : Promise.resolve(seen.push(`-${id}`)),
    readTextAt: readNothing,
    handle: ({ partitionkey }) =>
      fails(partitionkey)
        ? Promise.reject(new Error('disk full'))
        : Promise.resolve(seen.push(partitionkey)),
    onError: (error, message) => seen.push(`${(error as Error).message} ${message?.id ?? ''}`),
    pause: () => Promise.resolve(seen.push('pause')),
    signal: stopping.signal,
  });
const end: Message[] = [];

describe('consume', () => {
  it('removes a message once its event is handled', async () => {
    await run([[message('a'), message('b')], [message('c')], end]);
    expect(seen).toEqual(['a', '-a', 'b', '-b', 'c', '-c']);
  });

  it('keeps a message whose event fails, is none or cannot be removed, and goes on', async () => {
    const bad = message('bad', undefined, '{}');
    await run([[message('a'), bad, message('undeletable'), message('b')], end], (id) => id === 'a');
    expect(seen.filter((each) => each.startsWith('-'))).toEqual(['-b']);
    expect(seen).toContain('disk full a');
    expect(seen).toContain('undeletable undeletable');
  });

  it('pauses after a failed receive, and goes on', async () => {
    await run([new Error('throttled'), [message('a')], end]);
    expect(seen).toEqual(['throttled ', 'pause', 'a', '-a']);
  });

  it('ends without an error when stopping aborts a receive', async () => {
    await run([new Error('aborted')]);
    expect(seen).toEqual([]);
  });

  it('stops after the message that it is handling', async () => {
    await run([[message('a'), message('b')], end], (id) => {
      if (id === 'a') stopping.abort();
      return false;
    });
    expect(seen).toEqual(['a', '-a']);
  });
});

describe('consumeBatch', () => {
  it('returns failed messages and later ones of their group, of SQS or of Lambda', async () => {
    const inLambda = {
      id: 'c',
      body: JSON.stringify(eventOf('c')),
      attributes: { MessageGroupId: 'g' },
    };
    const failed = await consumeBatch<Message>(
      [message('a', 'g'), message('b', 'h'), inLambda, message('d')],
      {
        readTextAt: readNothing,
        handle: ({ partitionkey }) =>
          partitionkey === 'a'
            ? Promise.reject(new Error('full'))
            : Promise.resolve(seen.push(partitionkey)),
        onError: () => undefined,
      },
    );
    expect(failed.map(({ id }) => id)).toEqual(['a', 'c']);
    expect(seen).toEqual(['b', 'd']);
  });
});

describe('readEvent', () => {
  const event = eventOf('a');

  it('reads an event alone, in an envelope of SNS, and from the bucket', async () => {
    const { data: _, ...attributes } = event;
    const dataref = 's3://bucket/events/1.json';
    const read = (address: string) =>
      address === dataref ? Promise.resolve(JSON.stringify(event)) : readNothing();
    for (const value of [event, { ...attributes, dataref }]) {
      const text = JSON.stringify(value);
      expect(await readEvent(text, read)).toEqual(event);
      expect(
        await readEvent(JSON.stringify({ Type: 'Notification', Message: text }), read),
      ).toEqual(event);
    }
  });

  it.each(['no JSON', 'null', '5', '{"Type":"SubscriptionConfirmation","Message":"{}"}'])(
    'refuses %s in the words of the parser',
    async (body) => {
      await expect(readEvent(body, readNothing)).rejects.toHaveProperty(
        'name',
        'InvalidChangeEventError',
      );
    },
  );
});
