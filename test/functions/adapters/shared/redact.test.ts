import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  redact,
  redactFields,
  redactText,
  safeError,
} from '../../../../functions/adapters/shared/redact.ts';
import { ServiceError } from '../../../../functions/core/model/errors.ts';

const JWT = `${btoa('{"alg":"HS256"}')}.${btoa('{"sub":"someone"}')}.s1gn4ture-_`.replaceAll(
  '=',
  '',
);
const SECRET = 'Opaque-S3cret_Value';

describe('redact removes secrets', () => {
  it.each<[string, Record<string, unknown>]>([
    ['an authorization header', { headers: { authorization: `Bearer ${SECRET}` } }],
    ['a basic authorization', { line: `authorization: Basic ${SECRET}` }],
    ['a Headers object', { headers: new Headers({ authorization: SECRET, accept: 'a/b' }) }],
    ['a Map', { body: new Map([['access_token', SECRET]]) }],
    ['an api_token', { api_token: SECRET }],
    ['an access_token', { body: { access_token: SECRET } }],
    ['the answer of Secrets Manager', { answer: { SecretString: SECRET } }],
    ['a cookie', { headers: { 'set-cookie': `session=${SECRET}` } }],
    ['a bearer token in a text', { text: `sent bearer ${SECRET} to the service` }],
    ['a signed request in a text', { text: `x-amz-security-token:${SECRET}\nx-amz-date:2024` }],
    ['a JSON body as text', { body: `{"api_token":"${SECRET}"}` }],
    ['a JSON body within JSON', { body: JSON.stringify(`{"access_token":"${SECRET}"}`) }],
    ['a query parameter', { url: `https://auth.example.com/?access_token=${SECRET}&a=b` }],
    ['a URL object', { url: new URL(`https://someone:${SECRET}@auth.example.com/`) }],
    ['a token with a comma in it', { body: `{"jwt":"a,${SECRET}"}` }],
    ['a password with a quote in it', { body: JSON.stringify({ password: `a" b${SECRET}` }) }],
    ['a list of tokens as text', { body: `{"tokens":["a","${SECRET}"]}` }],
    ['an object named so as text', { body: `{"token":{"value":"${SECRET}"}}` }],
    ['a quoted authorization', { text: `authorization: "Token ${SECRET}"` }],
    ['an inspected object', { text: `{ userToken: '${SECRET}' }` }],
    ['an authorization of another scheme', { text: `authorization: Token ${SECRET}` }],
    ['basic credentials in a text', { text: `sent Basic ${SECRET}` }],
    ['cookies in a text', { text: `set-cookie: a=b; c=${SECRET}` }],
    ['plurals', { tokens: [SECRET], cookies: SECRET, secrets: SECRET }],
    ['secrets of other names', { secret: SECRET, client_secret: SECRET, session_key: SECRET }],
    ['a value deep inside', { a: [{ b: { c: [{ api_token: SECRET }] } }] }],
    ['a field that is named by a secret', { [`Bearer ${SECRET}`]: 1 }],
  ])('from %s', (_, fields) => {
    expect(inspect(redactFields(fields), { depth: Infinity })).not.toContain(SECRET);
  });

  it('from a JSON Web Token, wherever it stands', () => {
    expect(redactFields({ text: `got ${JWT}`, list: [`(${JWT})`], [JWT]: true })).toEqual({
      text: 'got [redacted]',
      list: ['([redacted])'],
      '[redacted]': true,
    });
  });

  it('from an error and its causes: neither message, nor stack, nor what hangs on them', () => {
    const request = { headers: { authorization: `Bearer ${SECRET}` }, body: SECRET };
    const http = Object.assign(new Error(`401 for authorization: Bearer ${SECRET}`), {
      request,
      options: { json: { api_token: SECRET } },
    });
    const wrapped = new ServiceError(`Refused: {"api_token":"${SECRET}"}`, {
      hint: `Do not send Bearer ${SECRET}`,
      cause: new AggregateError([http], `access_token=${SECRET}`, { cause: http }),
    });
    const redacted = redact(wrapped);
    expect(inspect(redacted, { depth: Infinity })).not.toContain(SECRET);
    expect(redacted).toMatchObject({
      name: 'ServiceError',
      message: 'Refused: {"api_token":"[redacted]"}',
      cause: { name: 'AggregateError', message: 'access_token=[redacted]', errors: [{}] },
    });
  });

  it('but keeps values that only sound like secrets', () => {
    const fields = {
      refreshTokenSecret: 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:token-1',
      feed: 'projects/8f1c/floorplans',
      cursor: '2024-01-01T00:00:00.000Z',
      url: 'https://api.example.com/api/v3/projects?last_synced_at=2024-01-01',
      reason: 'The token endpoint refused the refresh token of the secret.',
      arn: 'Cannot read arn:aws:secretsmanager:eu-central-1:123456789012:secret:token-1',
      json: '{"refreshTokenSecret":"arn:aws:secretsmanager:eu-central-1:1:secret:token-1"}',
      aws: 'ExpiredToken: The security token is expired',
      scheme: 'Use basic authentication',
      changed: ['name', 'tokens'],
    };
    expect(redactFields(fields)).toEqual(fields);
    expect(redactText('The access token has expired')).toBe('The access token has expired');
  });
});

describe('redact', () => {
  it('follows values to a depth of eight, so that circles end', () => {
    const circle: unknown[] = ['x'];
    circle.push(circle);
    expect(JSON.stringify(redact(circle))).toBe(`${'["x",'.repeat(8)}"[…]"${']'.repeat(8)}`);
    const set = new Set<unknown>();
    set.add(set);
    expect(JSON.stringify(redact(set))).toBe(`${'['.repeat(8)}"[…]"${']'.repeat(8)}`);
  });
});

describe('redactText', () => {
  it.each([
    ['authorization:   Token a b', 'authorization:   [redacted]'],
    ['Cookie=a=b; c=d', 'Cookie=[redacted]'],
    ['cookie:a\nCookie: b\nage: 5', 'cookie:[redacted]\nCookie: [redacted]\nage: 5'],
    ['author: izzy', 'author: izzy'],
    ['{\\"authorization\\": \\"a b\\"}', '{\\"authorization\\": \\"[redacted]\\"}'],
    ['authorization:  "a b", age: 5', 'authorization:  "[redacted]", age: 5'],
    ['token: a, TOKEN: b, age: 5', 'token: [redacted], TOKEN: [redacted], age: 5'],
    ['sent bearer  abc, Bearer abc d', 'sent bearer  [redacted] Bearer [redacted] d'],
    ['Basic  dXNlcjpw, basic a-b-C then', 'Basic  [redacted], basic [redacted] then'],
    ['basic x1 and basic terms', 'basic [redacted] and basic terms'],
    [
      'see https://me:pw@a.example/ and //x@b',
      'see https://[redacted]@a.example/ and //[redacted]@b',
    ],
    ['https://a.example/@b', 'https://a.example/@b'],
  ])('makes of %j %j', (text, redacted) => {
    expect(redactText(text)).toBe(redacted);
  });

  it('cuts a text after 4,000 characters', () => {
    expect(redactText('x'.repeat(4_000))).toBe('x'.repeat(4_000));
    expect(redactText('x'.repeat(4_001))).toBe(`${'x'.repeat(4_000)}…`);
  });
});

describe('safeError', () => {
  it('keeps name, message and frames without secrets, and nothing else', () => {
    const original = Object.assign(
      new ServiceError(`Refused\n    at x-amz-security-token: ${SECRET}`, {
        hint: SECRET,
        status: 503,
        cause: new Error(SECRET),
      }),
      { $response: { headers: SECRET } },
    );
    const error = safeError(original);
    expect(inspect(error, { showHidden: true })).not.toContain(SECRET);
    expect(Object.keys(error)).toEqual([]);
    expect(error).toMatchObject({
      name: 'ServiceError',
      message: 'Refused\n    at x-amz-security-token: [redacted]',
      stack: expect.stringMatching(/^ServiceError: Refused\n(.*\n)* +at .*redact\.test/) as unknown,
    });
    expect(error).not.toHaveProperty('cause');
  });

  it('keeps the message of an AggregateError without its errors', () => {
    const error = safeError(new AggregateError([new Error(SECRET)], `2 feeds: token=${SECRET}`));
    expect(error).toMatchObject({ name: 'AggregateError', message: '2 feeds: token=[redacted]' });
    expect(inspect(error, { showHidden: true })).not.toContain(SECRET);
  });

  it.each([
    [`Bearer ${SECRET}`, 'Bearer [redacted]'],
    [undefined, 'undefined'],
  ])('makes an error of a thrown value that is none', (thrown, message) => {
    expect(safeError(thrown)).toMatchObject({ name: 'Error', message });
  });
});
