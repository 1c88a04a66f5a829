import { inspect } from 'node:util';
import { describe, expect, onTestFinished, it, vi } from 'vitest';
import { AccessTokenSource } from '../../../../functions/adapters/auth/access-token.ts';
import type { AccessTokenOptions } from '../../../../functions/adapters/auth/access-token.ts';
import { FatalError, RefreshTokenRejectedError } from '../../../../functions/core/model/errors.ts';
import { deadAddress, json, rejection, serve } from '../../../support/local-server.ts';

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

describe('an access token', () => {
  it('is had by sending the refresh token as api_token, without an authorization header', async () => {
    const auth = await serve((response) => json(response, 200, { access_token: 'a.b.c' }));
    expect(await makeSource(`${auth.url}/`).get()).toBe('a.b.c');
    const [request] = auth.received;
    expect(`${request?.method} ${request?.url}`).toBe('POST /api_keys/jwt');
    expect(JSON.parse(request?.body ?? '')).toEqual({ api_token: REFRESH_TOKEN });
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      accept: 'application/json',
    });
    expect(request?.headers).not.toHaveProperty('authorization');
  });

  it('is kept, and exchanged once for all that ask at the same time', async () => {
    const auth = await serve((response) =>
      json(response, 200, { access_token: `token-${auth.received.length}` }),
    );
    const source = makeSource(auth.url);
    const atOnce = await Promise.all([source.get(), source.get(), source.get()]);
    expect([...atOnce, await source.get()]).toEqual(Array(4).fill('token-1'));
    expect(auth.received).toHaveLength(1);
  });

  it('is renewed once, however many requests had the same one rejected', async () => {
    const auth = await serve((response) =>
      json(response, 200, { access_token: `token-${auth.received.length}` }),
    );
    const source = makeSource(auth.url);
    const old = await source.get();
    const renewed = await Promise.all([source.renew(old), source.renew(old), source.get()]);
    const late = await source.renew(old);
    expect([...renewed, late]).toEqual(Array(4).fill('token-2'));
    expect(auth.received).toHaveLength(2);
  });

  it.each([
    { why: 'is missing', body: {} },
    { why: 'is empty', body: { access_token: '' } },
    { why: 'is no text', body: { access_token: 7 } },
    { why: 'cannot stand in a header', body: { access_token: 'top\nsecret' } },
    { why: 'is not in an object', body: null },
  ])('that $why in the answer is a clear error', async ({ body }) => {
    const auth = await serve((response) => json(response, 200, body));
    const error = await rejection(makeSource(auth.url).get());
    expect(error).toBeInstanceOf(FatalError);
    expect(String(error)).toContain(`POST ${auth.url}/api_keys/jwt`);
    expect(String(error)).toContain('without a valid access_token');
    expect(String(error)).not.toContain('secret');
  });
});

describe('a refresh token', () => {
  it.each([400, 401, 403, 404, 410, 422])(
    'refused with %i is read again past the cache, and the new one is used',
    async (status) => {
      const auth = await serve((response, { body }) => {
        if (body.includes('new-token')) json(response, 200, { access_token: 'a.b.c' });
        else json(response, status, {});
      });
      const secret = new FakeSecret('old-token', 'new-token');
      expect(await makeSource(auth.url, { secret }).get()).toBe('a.b.c');
      expect(secret.reads).toEqual([false, true]);
      expect(auth.received).toHaveLength(2);
    },
  );

  it('refused twice is RefreshTokenRejectedError, naming the secret and what to do', async () => {
    const auth = await serve((response) =>
      json(response, 401, { error: `unknown token ${REFRESH_TOKEN}` }),
    );
    const error = await rejection(makeSource(auth.url).get());
    expect(error).toBeInstanceOf(RefreshTokenRejectedError);
    expect(String(error)).toContain('"site/refresh-token" was refused');
    expect(String(error)).toContain('401');
    expect((error as RefreshTokenRejectedError).hint).toContain(
      "aws secretsmanager put-secret-value --secret-id 'site/refresh-token'",
    );
    expect((error as RefreshTokenRejectedError).hint).not.toContain('authUrl');
    expect(auth.received).toHaveLength(2);
  });

  it.each([400, 404, 422])(
    'refused twice with %i is RefreshTokenRejectedError too, whose hint names both causes',
    async (status) => {
      const auth = await serve((response) => json(response, status, {}));
      const error = await rejection(makeSource(auth.url).get());
      expect(error).toBeInstanceOf(RefreshTokenRejectedError);
      expect(String(error)).toContain(
        `"site/refresh-token" was refused: POST ${auth.url}/api_keys/jwt was answered with ${status}`,
      );
      expect((error as RefreshTokenRejectedError).hint).toContain(
        'aws secretsmanager put-secret-value',
      );
      expect((error as RefreshTokenRejectedError).hint).toContain('authUrl');
      expect(auth.received).toHaveLength(2);
    },
  );

  it('that is missing is RefreshTokenRejectedError, saying that the secret is empty', async () => {
    const auth = await serve((response) => json(response, 200, { access_token: 'a.b.c' }));
    const secret = new FakeSecret('');
    const error = await rejection(makeSource(auth.url, { secret }).get());
    expect(error).toBeInstanceOf(RefreshTokenRejectedError);
    expect(String(error)).toContain('"site/refresh-token" is empty');
    expect(secret.reads).toEqual([false, true]);
    expect(auth.received).toEqual([]);
  });

  it('that was refused is tried anew when a token is asked for again', async () => {
    let refuses = true;
    const auth = await serve((response) => {
      if (refuses) json(response, 401, {});
      else json(response, 200, { access_token: 'a.b.c' });
    });
    const source = makeSource(auth.url);
    await rejection(source.get());
    refuses = false;
    expect(await source.get()).toBe('a.b.c');
  });
});

describe('an exchange', () => {
  it.each(['408', '429', '500', '503', 'reset', 'cut', 'stall'])(
    'is tried again after %s',
    async (fault) => {
      const auth = await serve((response) => {
        if (auth.received.length === 4) json(response, 200, { access_token: 'a.b.c' });
        else if (fault === 'reset') response.destroy();
        else if (fault === 'cut') {
          response.writeHead(200, { 'content-length': '100' });
          response.write('{"acc', () => response.destroy());
        } else if (fault !== 'stall') json(response, Number(fault), {}, { 'Retry-After': '0' });
      });
      const source = makeSource(auth.url, { attemptTimeoutMs: fault === 'stall' ? 100 : 10_000 });
      expect(await source.get()).toBe('a.b.c');
      expect(auth.received).toHaveLength(4);
    },
  );

  it.each([
    { status: 503, sent: 4 },
    { status: 408, sent: 4 },
    { status: 429, sent: 4 },
    { status: 307, sent: 1 },
  ])('that ends with $status is a FatalError', async ({ status, sent }) => {
    const auth = await serve((response) => json(response, status, {}, { location: '/elsewhere' }));
    const error = await rejection(makeSource(auth.url).get());
    expect(error).toBeInstanceOf(FatalError);
    expect(error).not.toBeInstanceOf(RefreshTokenRejectedError);
    expect(String(error)).toContain(`POST ${auth.url}/api_keys/jwt was answered with ${status}`);
    expect(auth.received).toHaveLength(sent);
  });

  it('waits before it is tried again for as long as it is asked to', async () => {
    const at: number[] = [];
    const auth = await serve((response) => {
      at.push(performance.now());
      if (at.length > 1) json(response, 200, { access_token: 'a.b.c' });
      else json(response, 429, {}, { 'Retry-After': '1' });
    });
    expect(await makeSource(auth.url).get()).toBe('a.b.c');
    const [first = 0, second = 0] = at;
    expect(second - first).toBeGreaterThan(990);
  });

  it('leaves no timer behind', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const fetch = () => Promise.resolve(new Response('{"access_token":"a.b.c"}'));
    await makeSource('http://auth.invalid', { fetch }).get();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is not waited for longer than it may be asked to wait', async () => {
    const auth = await serve((response) => json(response, 503, {}, { 'Retry-After': '2' }));
    const error = await rejection(makeSource(auth.url, { maxWaitMs: 1999 }).get());
    expect(error).toBeInstanceOf(FatalError);
    expect(auth.received).toHaveLength(1);
  });

  it('that reaches nobody is a FatalError with the reason', async () => {
    const error = await rejection(makeSource(await deadAddress()).get());
    expect(error).toBeInstanceOf(FatalError);
    expect(String(error)).toContain('got no answer (ECONNREFUSED)');
  });

  it.each(['401', '400', '500', 'reset', 'stall', 'no token'])(
    'that fails with %s puts no token into its error',
    async (fault) => {
      const echo = { error: REFRESH_TOKEN, access_tok: 'a.b.c' };
      const auth = await serve((response) => {
        if (fault === 'reset') response.destroy();
        else if (fault === 'no token') json(response, 200, echo);
        else if (fault !== 'stall') json(response, Number(fault), echo);
      });
      const source = makeSource(auth.url, { tries: 2, attemptTimeoutMs: 100 });
      const error = await rejection(source.get());
      const all = inspect(error, { depth: Infinity, showHidden: true }) + JSON.stringify(error);
      expect(error).toBeInstanceOf(FatalError);
      expect(all).not.toContain(REFRESH_TOKEN);
      expect(all).not.toContain('a.b.c');
    },
  );

  it('goes on for the others when one stops waiting for it', async () => {
    const reason = new Error('over');
    const run = new AbortController();
    const answer = Promise.withResolvers<undefined>();
    const auth = await serve(async (response) => {
      await answer.promise;
      json(response, 200, { access_token: 'a.b.c' });
    });
    const source = makeSource(auth.url);
    const stays = source.get();
    const leaves = rejection(source.get(run.signal));
    run.abort(reason);
    expect(await leaves).toBe(reason);
    answer.resolve(undefined);
    expect(await stays).toBe('a.b.c');
    expect(auth.received).toHaveLength(1);
  });

  it('ends when nobody waits for it any more, and the next one is a new one', async () => {
    const reason = new Error('over');
    const run = new AbortController();
    let closed = false;
    const auth = await serve((response) => {
      response.on('close', () => (closed = true));
      if (auth.received.length > 1) json(response, 200, { access_token: 'a.b.c' });
    });
    const source = makeSource(auth.url);
    const leaves = rejection(source.get(run.signal));
    await expect.poll(() => auth.received).toHaveLength(1);
    run.abort(reason);
    expect(await leaves).toBe(reason);
    await expect.poll(() => closed).toBe(true);
    expect(await rejection(source.get(run.signal))).toBe(reason);
    expect(await source.get()).toBe('a.b.c');
  });
});
