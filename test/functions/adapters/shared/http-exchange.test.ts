import { inspect } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import {
  NoAnswerError,
  exchange,
  isTransientStatus,
} from '../../../../functions/adapters/shared/http-exchange.ts';
import { PageTooLargeError } from '../../../../functions/core/model/errors.ts';
import { deadAddress, rejection, serve } from '../../../support/local-server.ts';

describe('exchange', () => {
  it.each([200, 302, 500])('resolves with the whole answer, whose status is %i', async (status) => {
    const { url } = await serve((response) => {
      response.writeHead(status, { location: '/elsewhere', 'x-count': '1' }).end('body');
    });
    const answer = await exchange(fetch, url, {});
    expect(answer).toMatchObject({ status, ok: status === 200, text: 'body' });
    expect(answer.headers.get('x-count')).toBe('1');
  });

  it('says why no answer came', async () => {
    const error = await rejection(exchange(fetch, await deadAddress(), {}));
    expect(error).toBeInstanceOf(NoAnswerError);
    expect(error).toMatchObject({
      code: 'ECONNREFUSED',
      message: expect.stringMatching(/^ECONNREFUSED connect /) as unknown,
    });
  });

  it.each([
    [Object.assign(new Error('failed'), { request: 'SECRET', code: 7 }), 'failed'],
    ['SECRET', 'unknown error'],
  ])('does not keep the error of the network: %j', async (failure, message) => {
    const error = await rejection(exchange(vi.fn().mockRejectedValue(failure), 'http://a', {}));
    expect(error).toMatchObject({ name: 'NoAnswerError', message, code: undefined });
    expect(inspect(error, { showHidden: true })).not.toContain('SECRET');
  });

  it('passes on an error of its reader', async () => {
    const { url } = await serve((response) => response.end('body'));
    const tooLarge = new PageTooLargeError('9 bytes');
    const error = await rejection(exchange(fetch, url, {}, () => Promise.reject(tooLarge)));
    expect(error).toBe(tooLarge);
  });
});

it.each([
  [408, true],
  [429, true],
  [499, false],
  [500, true],
  [599, true],
])('status %i is transient: %j', (status, isTransient) => {
  expect(isTransientStatus(status)).toBe(isTransient);
});
