import { inspect } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { AccessTokenSource } from '../../../../functions/adapters/auth/access-token.ts';
import type { AccessTokenOptions } from '../../../../functions/adapters/auth/access-token.ts';
import { FatalError, RefreshTokenRejectedError } from '../../../../functions/core/model/errors.ts';
import {
  answerWith,
  inTurn,
  json,
  rejection,
  serve,
  type Answering,
} from '../../../support/local-server.ts';

const REFRESH_TOKEN = 'the-refresh-token';

/** A secret that holds the given values, one after the other, each seen by a fresh read. */
class FakeSecret {
  readonly name = 'site/refresh-token';
  readonly reads: boolean[] = [];
  readonly #values: string[];

  constructor(...values: string[]) {
    this.#values = values;
  }

  read({ fresh }: { fresh: boolean }): Promise<string> {
    this.reads.push(fresh);
    if (fresh && this.#values.length > 1) this.#values.shift();
    return Promise.resolve(this.#values[0] ?? '');
  }
}

function makeSource(authUrl: string, options: Partial<AccessTokenOptions> = {}): AccessTokenSource {
  return new AccessTokenSource({
    authUrl,
    secret: new FakeSecret(REFRESH_TOKEN),
    retryBaseMs: 1,
    ...options,
  });
}

const GOOD = answerWith(200, { access_token: 'a.b.c' });
const containing = (text: string) => expect.stringContaining(text) as string;

/** Answers with token-1, token-2 and so on. */
async function serveNumberedTokens() {
  let count = 0;
  return serve((response) => json(response, 200, { access_token: `token-${++count}` }));
}

describe('an access token', () => {
  it('is exchanged for the refresh token as api_token, without an authorization header', async () => {
    const auth = await serve(GOOD);
    expect(await makeSource(`${auth.url}/`).get()).toBe('a.b.c');
    const [request] = auth.received;
    expect(request).toMatchObject({ method: 'POST', url: '/api_keys/jwt' });
    expect(JSON.parse(request?.body ?? '')).toEqual({ api_token: REFRESH_TOKEN });
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      accept: 'application/json',
    });
    expect(request?.headers).not.toHaveProperty('authorization');
  });

  it('is kept, and exchanged once for concurrent callers', async () => {
    const auth = await serveNumberedTokens();
    const source = makeSource(auth.url);
    const concurrent = await Promise.all([source.get(), source.get(), source.get()]);
    expect([...concurrent, await source.get()]).toEqual(Array(4).fill('token-1'));
    expect(auth.received).toHaveLength(1);
  });

  it('is renewed once, however many requests had the same one rejected', async () => {
    const auth = await serveNumberedTokens();
    const source = makeSource(auth.url);
    const old = await source.get();
    const renewed = await Promise.all([source.renew(old), source.renew(old), source.get()]);
    expect([...renewed, await source.renew(old)]).toEqual(Array(4).fill('token-2'));
    expect(auth.received).toHaveLength(2);
  });

  it('is kept while an exchange fails: it may still be accepted', async () => {
    const failing = answerWith(503);
    const next = answerWith(200, { access_token: 'd.e.f' });
    const auth = await serve(inTurn(GOOD, failing, next));
    const source = makeSource(auth.url, { tries: 1 });
    const old = await source.get();
    const renewing = rejection(source.renew(old));
    // Who asks meanwhile waits for the new one.
    const waiting = rejection(source.get());
    expect(await renewing).toBeInstanceOf(FatalError);
    expect(await waiting).toBeInstanceOf(FatalError);
    expect(await source.get()).toBe(old);
    expect(await source.renew(old)).toBe('d.e.f');
    expect(await source.renew(old)).toBe('d.e.f');
    expect(auth.received).toHaveLength(3);
  });

  describe('that names its end', () => {
    const claims = (exp: number) =>
      `h.${Buffer.from(JSON.stringify({ exp })).toString('base64url')}.s`;
    const EPOCH = 'Thu, 01 Jan 1970 00:00:00 GMT';

    it.each<[string, object, Record<string, string>, number]>([
      ['by expires_in', { access_token: 'a', expires_in: 900 }, {}, 840],
      ['by exp, by the clock of the answer', { access_token: claims(900) }, { date: EPOCH }, 840],
      ['soon, after half of its time', { access_token: 'a', expires_in: 30 }, {}, 15],
    ])('%s is renewed a minute before that', async (_, body, headers, seconds) => {
      let now = Date.now();
      const auth = await serve(answerWith(200, body, headers));
      const source = makeSource(auth.url, { now: () => now });
      await source.get();
      now += 1_000 * seconds - 1;
      await source.get();
      expect(auth.received).toHaveLength(1);
      now += 1;
      await source.get();
      expect(auth.received).toHaveLength(2);
    });
  });

  it('is not kept when the refresh token is refused', async () => {
    const auth = await serve(inTurn(GOOD, answerWith(401)));
    const source = makeSource(auth.url);
    await rejection(source.renew(await source.get()));
    expect(await rejection(source.get())).toBeInstanceOf(RefreshTokenRejectedError);
  });

  it.each([
    ['is missing', {}],
    ['is not valid in a header', { access_token: 'top\nsecret' }],
    ['is not in an object', null],
  ])('that %s in the answer is a clear error', async (_, body) => {
    const auth = await serve(answerWith(200, body));
    const error = await rejection(makeSource(auth.url).get());
    expect(error).toBeInstanceOf(FatalError);
    expect(String(error)).toContain(`POST ${auth.url}/api_keys/jwt`);
    expect(String(error)).toContain('without a valid access_token');
    expect(String(error)).not.toContain('secret');
  });
});

describe('a refresh token', () => {
  it.each([401, 404])(
    'refused with %i is read again without the cache, and the new one is used',
    async (status) => {
      const auth = await serve((response, { body }) =>
        json(response, body.includes('new-token') ? 200 : status, { access_token: 'a.b.c' }),
      );
      const secret = new FakeSecret('old-token', 'new-token');
      expect(await makeSource(auth.url, { secret }).get()).toBe('a.b.c');
      expect(secret.reads).toEqual([false, true]);
      expect(auth.received).toHaveLength(2);
    },
  );

  it.each([
    [401, 'Get a refresh token'],
    [400, 'Check that authUrl is the address of the token endpoint. If it is, the token is wrong.'],
  ])(
    'refused with %i is RefreshTokenRejectedError and sent once; its hint begins: %s',
    async (status, start) => {
      const auth = await serve(answerWith(status, { error: `unknown token ${REFRESH_TOKEN}` }));
      const error = await rejection(makeSource(auth.url).get());
      expect(error).toMatchObject({
        name: 'RefreshTokenRejectedError',
        message: containing(
          `"site/refresh-token" was refused: POST ${auth.url}/api_keys/jwt was answered with ${status}`,
        ),
      });
      const { hint } = error as RefreshTokenRejectedError;
      expect(hint).toContain(
        "aws secretsmanager put-secret-value --secret-id 'site/refresh-token'",
      );
      expect(hint.startsWith(start)).toBe(true);
      expect(auth.received).toHaveLength(1);
    },
  );

  it('that is missing is RefreshTokenMissingError, and nothing is sent', async () => {
    const auth = await serve(GOOD);
    const secret = new FakeSecret('');
    await expect(makeSource(auth.url, { secret }).get()).rejects.toMatchObject({
      name: 'RefreshTokenMissingError',
      message: 'The secret "site/refresh-token" holds no refresh token yet',
      hint: containing('aws secretsmanager put-secret-value'),
    });
    expect(secret.reads).toEqual([false, true]);
    expect(auth.received).toEqual([]);
  });

  it('that was refused is sent again after 1, 2, 4, 8 and then each 15 minutes, also by other processes', async () => {
    const auth = await serve(answerWith(401));
    let time = Date.parse('2026-01-01T00:00:00Z');
    const sentAt: number[] = [];
    let note: unknown;
    for (const start = time; time < start + 65 * 60_000; time += 60_000) {
      // Every second run is that of a new process.
      const source = makeSource(auth.url, { now: () => time });
      source.resume(note);
      const before = auth.received.length;
      const error = await rejection(source.get());
      const isSent = auth.received.length > before;
      expect(error).toMatchObject({ name: 'RefreshTokenRejectedError' });
      expect(String(error)).toContain(isSent ? 'was answered with 401' : 'is sent again after');
      if (isSent) sentAt.push((time - start) / 60_000);
      note = source.handOver();
    }
    expect(sentAt).toEqual([0, 1, 3, 7, 15, 30, 45, 60]);
    expect(JSON.stringify(note)).not.toContain(REFRESH_TOKEN);
  });

  it('that was replaced is refused with that reason, by other processes, too', async () => {
    const replacing = answerWith(200, { access_token: 'a.b.c', refresh_token: 'next-token' });
    const auth = await serve(inTurn(replacing, answerWith(401), answerWith(401), GOOD));
    const onReplaced = vi.fn();
    const first = makeSource(auth.url, { onReplaced });
    const token = await first.get();
    expect(onReplaced).toHaveBeenCalledTimes(1);
    const second = makeSource(auth.url);
    second.resume(first.handOver());
    for (const source of [first, second]) {
      const error = await rejection(source === first ? source.renew(token) : source.get());
      expect(error).toMatchObject({
        message: containing('replaced by a new refresh token'),
        hint: containing('a refresh token that stays valid'),
      });
      expect(String(error)).not.toContain('next-token');
    }
    const third = makeSource(auth.url, { secret: new FakeSecret('other-token') });
    third.resume(second.handOver());
    expect(await third.get()).toBe('a.b.c');
    expect(third.handOver()).toBeUndefined();
  });
});

describe('an exchange', () => {
  it.each<[string, Answering]>([
    ...['408', '429', '503'].map((status): [string, Answering] => [
      status,
      answerWith(Number(status), {}, { 'Retry-After': '0' }),
    ]),
    ['reset', (response) => response.destroy()],
    [
      'cut',
      (response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('{"acc', () => response.destroy());
      },
    ],
    ['stall', () => undefined],
  ])('is retried after %s', async (fault, answer) => {
    const auth = await serve(inTurn(answer, answer, answer, GOOD));
    const source = makeSource(auth.url, { attemptTimeoutMs: fault === 'stall' ? 500 : 10_000 });
    expect(await source.get()).toBe('a.b.c');
    expect(auth.received).toHaveLength(4);
  });

  it.each([
    [503, 4],
    [307, 1],
  ])('that ends with %i is a FatalError after %i requests', async (status, requestCount) => {
    const auth = await serve(answerWith(status, {}, { location: '/elsewhere' }));
    const error = await rejection(makeSource(auth.url).get());
    expect(error).toBeInstanceOf(FatalError);
    expect(error).not.toBeInstanceOf(RefreshTokenRejectedError);
    expect(String(error)).toContain(`POST ${auth.url}/api_keys/jwt was answered with ${status}`);
    expect(String(error).includes('Location: /elsewhere')).toBe(status === 307);
    expect(auth.received).toHaveLength(requestCount);
  });

  const echo = { error: REFRESH_TOKEN, access_tok: 'a.b.c' };
  it.each<[string, Answering]>([
    ['400', answerWith(400, echo)],
    ['500', answerWith(500, echo)],
    ['no token', answerWith(200, echo)],
  ])('that fails with %s puts no token into its error', async (_, answer) => {
    const auth = await serve(answer);
    const source = makeSource(auth.url, { tries: 2, attemptTimeoutMs: 100 });
    const error = await rejection(source.get());
    const all = inspect(error, { depth: Infinity, showHidden: true }) + JSON.stringify(error);
    expect(error).toBeInstanceOf(FatalError);
    expect(all).not.toContain(REFRESH_TOKEN);
    expect(all).not.toContain('a.b.c');
  });
});
