import { expect, it } from 'vitest';
import { readStart } from '../../../../functions/adapters/shared/http-exchange.ts';

/** A body that comes in these parts, and counts those that were read. */
function bodyOf(...parts: readonly string[]) {
  const sent = { count: 0, isDropped: false };
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        const part = parts[sent.count];
        if (part === undefined) controller.close();
        else {
          sent.count += 1;
          controller.enqueue(Buffer.from(part));
        }
      },
      cancel: () => void (sent.isDropped = true),
    },
    { highWaterMark: 0 },
  );
  return { sent, body };
}

it('a short body is read whole', async () => {
  const { body, sent } = bodyOf('ab', 'cd', 'é');
  expect(await readStart(body, 7)).toBe('abcdé');
  expect(sent).toEqual({ count: 3, isDropped: false });
});

it('of a long body only as much is read as is asked for', async () => {
  const { body, sent } = bodyOf('ab', 'cd', 'ef');
  expect(await readStart(body, 3)).toBe('abc');
  expect(sent).toEqual({ count: 2, isDropped: true });
  const even = bodyOf('ab', 'cd', 'ef');
  expect(await readStart(even.body, 4)).toBe('abcd');
  expect(even.sent).toEqual({ count: 2, isDropped: true });
});

it('an answer without a body is empty', async () => {
  expect(await readStart(null, 10)).toBe('');
});
