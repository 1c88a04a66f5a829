import { describe, expect, it } from 'vitest';
import {
  exchange,
  hintForNoAnswer,
  isTransientStatus,
  NoAnswerError,
} from '../../../../functions/adapters/shared/http-exchange.ts';

it.each(['DEPTH_ZERO_SELF_SIGNED_CERT', 'CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID'])(
  'a certificate that fails with %s is named as the reason',
  (code) => {
    expect(hintForNoAnswer(code, 'baseUrl')).toBe(
      'The certificate is not trusted. Check baseUrl, and that NODE_EXTRA_CA_CERTS names the file of a private CA.',
    );
  },
);

it.each([undefined, 'ECONNREFUSED', 'ENOTFOUND', 'UND_ERR_SOCKET'])(
  'a connection that fails with %s has no other reason',
  (code) => {
    expect(hintForNoAnswer(code, 'authUrl')).toBe('Check authUrl and the network.');
  },
);

describe('an exchange', () => {
  const answering = (answer: Response) => () => Promise.resolve(answer);

  it('has the whole answer, whatever its status, and follows no redirect', async () => {
    const sent: unknown[] = [];
    const fetch = (...request: unknown[]) => {
      sent.push(request);
      return Promise.resolve(new Response('gone', { status: 410, headers: { a: 'b' } }));
    };
    const answer = await exchange(fetch, 'https://a.example/', { method: 'POST' });
    expect(answer).toMatchObject({ status: 410, ok: false, text: 'gone' });
    expect(answer.headers.get('a')).toBe('b');
    expect(sent).toEqual([['https://a.example/', { method: 'POST', redirect: 'manual' }]]);
  });

  it('reads the first 64 KB of a body, or what the caller reads', async () => {
    const body = 'x'.repeat(1_000_001);
    const whole = await exchange(answering(new Response(body)), 'https://a.example/', {});
    expect(whole.text).toHaveLength(65_536);
    const read = () => Promise.resolve('read');
    const own = await exchange(answering(new Response(body)), 'https://a.example/', {}, read);
    expect(own.text).toBe('read');
  });

  it('has the status of an error answer whose body cannot be read', async () => {
    const broken = () => Promise.reject(new TypeError('terminated'));
    const refused = answering(new Response('', { status: 401 }));
    const answer = await exchange(refused, 'https://a.example/', {}, broken);
    expect(answer).toMatchObject({ status: 401, ok: false, text: '(unreadable body)' });
    const good = exchange(answering(new Response('')), 'https://a.example/', {}, broken);
    await expect(good).rejects.toThrow(NoAnswerError);
  });

  it('without an answer fails without the error of fetch, which may hold the request', async () => {
    const fetch = () => Promise.reject(new TypeError('fetch failed'));
    const failed = await exchange(fetch, 'https://a.example/', {}).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(NoAnswerError);
    expect(failed).toMatchObject({ name: 'NoAnswerError', message: 'fetch failed' });
    expect(failed).not.toHaveProperty('cause');
  });
});

describe('the error without an answer', () => {
  const withCode = (message: string, code: unknown, cause?: Error) =>
    Object.assign(new Error(message, { cause }), { code });

  it('names the last cause, and the last code', () => {
    const reset = withCode('connect to 10.0.0.1', 'ECONNREFUSED', new Error('refused'));
    const error = new NoAnswerError(new TypeError('fetch failed', { cause: reset }));
    expect(error).toMatchObject({ message: 'ECONNREFUSED refused', code: 'ECONNREFUSED' });
  });

  it('is the code alone where there is no reason, as for a host with several addresses', () => {
    const failure = new TypeError('fetch failed', { cause: withCode('', 'ECONNREFUSED') });
    expect(new NoAnswerError(failure).message).toBe('ECONNREFUSED');
  });

  it.each([
    ['no code', new Error('reset'), 'reset'],
    [
      'no reason, as after 407',
      new TypeError('fetch failed', { cause: new Error() }),
      'fetch gave no reason, as for an answer 407 (Proxy Authentication Required)',
    ],
  ])('has none where there is %s', (_, thrown, message) => {
    expect(new NoAnswerError(thrown)).toMatchObject({ message, code: undefined });
  });
});

it('a request may succeed later after 408, 429 and 5xx', () => {
  const all = [200, 302, 400, 401, 407, 408, 409, 428, 429, 430, 499, 500, 503, 599];
  expect(all.filter(isTransientStatus)).toEqual([408, 429, 500, 503, 599]);
});
