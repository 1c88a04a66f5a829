import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PowertoolsTelemetry } from '../../../../functions/adapters/telemetry/powertools-telemetry.ts';
import { safeError } from '../../../../functions/adapters/telemetry/redact.ts';
import {
  RefreshTokenRejectedError,
  ServiceError,
} from '../../../../functions/core/model/errors.ts';

/** Everything that was written to standard output and standard error. */
let written: string;

function entries(): Record<string, unknown>[] {
  return written
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

function entry(): Record<string, unknown> {
  const all = entries();
  expect(all).toHaveLength(1);
  return all[0] ?? {};
}

beforeEach(() => {
  written = '';
  vi.stubEnv('POWERTOOLS_DEV', undefined);
  vi.stubEnv('POWERTOOLS_SERVICE_NAME', 'sitecast-test');
  vi.stubEnv('POWERTOOLS_METRICS_NAMESPACE', 'Sitecast');
  vi.stubEnv('POWERTOOLS_LOG_LEVEL', 'INFO');
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockImplementation((chunk) => {
      written += String(chunk);
      return true;
    });
  }
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

describe('the log', () => {
  it('is one JSON object an entry, with level, service and fields', () => {
    const telemetry = new PowertoolsTelemetry();
    telemetry.info('Run completed', { events: 3, feeds: ['projects'] });
    telemetry.warn('A feed was refused', { feed: 'projects' });
    expect(entries()).toMatchObject([
      {
        level: 'INFO',
        message: 'Run completed',
        service: 'sitecast-test',
        events: 3,
        feeds: ['projects'],
      },
      { level: 'WARN', message: 'A feed was refused', feed: 'projects' },
    ]);
  });

  it('names the request once the run has started', () => {
    const telemetry = new PowertoolsTelemetry();
    telemetry.startRun({
      awsRequestId: 'request-1',
      functionName: 'poller',
      functionVersion: '1',
      invokedFunctionArn: 'arn:aws:lambda:eu-central-1:123456789012:function:poller',
      memoryLimitInMB: '512',
    } as Parameters<PowertoolsTelemetry['startRun']>[0]);
    telemetry.info('Started');
    expect(entry()).toMatchObject({ function_request_id: 'request-1', function_name: 'poller' });
  });

  it('leaves out what is below the configured level', () => {
    vi.stubEnv('POWERTOOLS_LOG_LEVEL', 'WARN');
    const telemetry = new PowertoolsTelemetry();
    telemetry.info('Run completed');
    expect(entries()).toEqual([]);
  });

  it('tells name, message, hint, status and the chain of causes of an error', () => {
    const network = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const service = new ServiceError('The service answered 503', {
      hint: 'Wait.',
      status: 503,
      cause: network,
    });
    const rejected = new RefreshTokenRejectedError('No access token', {
      hint: 'Rotate.',
      cause: service,
    });
    new PowertoolsTelemetry().error('Run failed', rejected, { feed: 'projects' });
    expect(entry()).toMatchObject({
      level: 'ERROR',
      message: 'Run failed',
      feed: 'projects',
      error: {
        name: 'RefreshTokenRejectedError',
        message: 'No access token',
        hint: 'Rotate.',
        stack: expect.arrayContaining([
          expect.stringMatching(/^ +at .*telemetry\.test/),
        ]) as unknown,
        cause: {
          name: 'ServiceError',
          message: 'The service answered 503',
          hint: 'Wait.',
          status: 503,
          cause: { name: 'Error', message: 'connect ECONNREFUSED', code: 'ECONNREFUSED' },
        },
      },
    });
  });

  it('tells where an error comes from without repeating its message', () => {
    new PowertoolsTelemetry().error('Run failed', new Error('one\ntwo'));
    const { stack } = entry()['error'] as { stack: string[] };
    expect(stack.filter((line) => !line.startsWith('    at '))).toEqual([]);
  });

  it.each([['text'], [undefined], [{ reason: 'odd' }]])(
    'takes %j where an error was expected',
    (thrown) => {
      new PowertoolsTelemetry().error('Run failed', thrown);
      expect(entry()['error']).toEqual(thrown);
    },
  );

  it('survives circles, big numbers, and what JSON does not know', () => {
    const circle: Record<string, unknown> = {
      size: 10n,
      at: new Date(0),
      set: new Set([1]),
      body: new Uint8Array(3),
    };
    circle['self'] = circle;
    const error = new Error('round');
    error.cause = error;
    new PowertoolsTelemetry().error('Run failed', error, { circle });
    expect(entry()).toMatchObject({
      circle: { size: '10', at: '1970-01-01T00:00:00.000Z', set: [1], body: '[3 bytes]' },
      error: { message: 'round', cause: { message: 'round' } },
    });
  });

  it('cuts what is far too long', () => {
    new PowertoolsTelemetry().info('Answer', { body: 'x'.repeat(100_000) });
    expect(written.length).toBeLessThan(5_000);
  });
});

const JWT = `${btoa('{"alg":"HS256"}')}.${btoa('{"sub":"someone"}')}.s1gn4ture-_`.replaceAll(
  '=',
  '',
);
const SECRET = 'Opaque-S3cret_Value';

describe('no secret is written', () => {
  it.each<[string, Record<string, unknown>]>([
    ['an authorization header', { headers: { authorization: `Bearer ${SECRET}` } }],
    ['a header in any case', { headers: { Authorization: SECRET } }],
    ['a basic authorization', { line: `authorization: Basic ${SECRET}` }],
    ['a Headers object', { headers: new Headers({ authorization: SECRET, accept: 'a/b' }) }],
    ['a Map', { body: new Map([['access_token', SECRET]]) }],
    ['raw headers', { raw: ['authorization', `Bearer ${SECRET}`] }],
    ['an api_token', { api_token: SECRET }],
    ['an access_token', { body: { access_token: SECRET } }],
    ['a token in camel case', { accessToken: SECRET, refreshToken: SECRET }],
    ['the answer of Secrets Manager', { answer: { SecretString: SECRET } }],
    ['a cookie', { headers: { 'set-cookie': `session=${SECRET}` } }],
    ['a bearer token in a text', { text: `sent bearer ${SECRET} to the service` }],
    ['a signed request in a text', { text: `x-amz-security-token:${SECRET}\nx-amz-date:2024` }],
    ['a JSON body as text', { body: `{"api_token":"${SECRET}"}` }],
    ['a JSON body in spaced text', { body: `{ "access_token" : "${SECRET}" }` }],
    ['a JSON body within JSON', { body: JSON.stringify(`{"access_token":"${SECRET}"}`) }],
    ['a body that was cut', { body: `{"access_token":"${SECRET}` }],
    ['a query parameter', { url: `https://auth.example.com/?access_token=${SECRET}&a=b` }],
    ['a URL object', { url: new URL(`https://someone:${SECRET}@auth.example.com/`) }],
    ['a token of any name as text', { body: `{"token":"${SECRET}"}` }],
    ['a token in camel case as text', { body: `{"clientSecret":"${SECRET}"}` }],
    ['a token with a comma in it', { body: `{"jwt":"a,${SECRET}"}` }],
    ['a password with a quote in it', { body: JSON.stringify({ password: `a" b${SECRET}` }) }],
    ['the answer of Secrets Manager as text', { body: `{"SecretString": "${SECRET}"}` }],
    ['a list of tokens as text', { body: `{"tokens":["a","${SECRET}"]}` }],
    ['an object named so as text', { body: `{"token":{"value":"${SECRET}"}}` }],
    [
      'a quote in JSON within JSON',
      { body: JSON.stringify(JSON.stringify({ token: `"${SECRET}`, a: 1 })) },
    ],
    ['a quoted authorization', { text: `authorization: "Token ${SECRET}"` }],
    ['an inspected object', { text: `{ userToken: '${SECRET}' }` }],
    ['an authorization of another scheme', { text: `authorization: Token ${SECRET}` }],
    ['an authorization of several parts', { text: `Authorization: Bearer a,${SECRET}; ${SECRET}` }],
    ['a bearer token of several parts', { text: `sent Bearer a,${SECRET}` }],
    ['basic credentials in a text', { text: `sent Basic ${SECRET}` }],
    ['cookies in a text', { text: `set-cookie: a=b; c=${SECRET}` }],
    ['plurals', { tokens: [SECRET], cookies: SECRET, secrets: SECRET }],
    ['secrets of other names', { secret: SECRET, client_secret: SECRET, session_key: SECRET }],
    ['pairs in a list', { headers: [['api_token', SECRET]] }],
    ['a value deep inside', { a: [{ b: { c: [{ api_token: SECRET }] } }] }],
    ['a field that is named by a secret', { [`Bearer ${SECRET}`]: 1 }],
  ])('from %s', (_, fields) => {
    const telemetry = new PowertoolsTelemetry();
    telemetry.info('Fields', fields);
    telemetry.warn('Fields', fields);
    telemetry.error('Fields', new Error('failed'), fields);
    telemetry.error('Fields', fields);
    expect(entries()).toHaveLength(4);
    expect(written).not.toContain(SECRET);
  });

  it('from a JSON Web Token, wherever it stands', () => {
    const telemetry = new PowertoolsTelemetry();
    telemetry.info(`got ${JWT}`, { value: JWT, list: [`(${JWT})`], [JWT]: true });
    for (const part of JWT.split('.')) expect(written).not.toContain(part);
    expect(entry()['message']).toBe('got [redacted]');
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
    new PowertoolsTelemetry().error(`Run failed with Bearer ${SECRET}`, wrapped, { wrapped });
    expect(written).not.toContain(SECRET);
    expect(entry()['error']).toMatchObject({
      name: 'ServiceError',
      message: 'Refused: {"api_token":"[redacted]"}',
      cause: { name: 'AggregateError', message: 'access_token=[redacted]', errors: [{}] },
    });
  });

  it('while what only sounds like one is kept', () => {
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
    new PowertoolsTelemetry().info('The access token has expired', fields);
    expect(entry()).toMatchObject({ message: 'The access token has expired', ...fields });
  });
});

describe('an error for Lambda', () => {
  it('has name, message and frames of the original and nothing else, without secrets', () => {
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
      stack: expect.stringMatching(
        /^ServiceError: Refused\n(.*\n)* +at .*telemetry\.test/,
      ) as unknown,
    });
    expect(error).not.toHaveProperty('cause');
  });

  it('keeps the message of an AggregateError and not its errors', () => {
    const error = safeError(new AggregateError([new Error(SECRET)], `2 feeds: token=${SECRET}`));
    expect(error).toMatchObject({ name: 'AggregateError', message: '2 feeds: token=[redacted]' });
    expect(inspect(error, { showHidden: true })).not.toContain(SECRET);
  });

  it.each([
    [`Bearer ${SECRET}`, 'Bearer [redacted]'],
    [undefined, 'undefined'],
  ])('is made of what is no error', (thrown, message) => {
    expect(safeError(thrown)).toMatchObject({ name: 'Error', message });
  });
});

describe('the metrics', () => {
  it('are one entry a run in the embedded metric format, summed up', () => {
    const telemetry = new PowertoolsTelemetry();
    telemetry.count('PagesRead', 2);
    telemetry.count('PagesRead', 3);
    telemetry.count('RunsCompleted', 1);
    telemetry.count('MaxWaitSeconds', 120);
    expect(entries()).toEqual([]);
    telemetry.flush();
    expect(entry()).toMatchObject({
      _aws: {
        CloudWatchMetrics: [
          {
            Namespace: 'Sitecast',
            Dimensions: [['service']],
            Metrics: [
              { Name: 'PagesRead', Unit: 'Count' },
              { Name: 'RunsCompleted', Unit: 'Count' },
              { Name: 'MaxWaitSeconds', Unit: 'Seconds' },
            ],
          },
        ],
      },
      service: 'sitecast-test',
      PagesRead: 5,
      RunsCompleted: 1,
    });
  });

  it('are not written when they are zero', () => {
    const telemetry = new PowertoolsTelemetry();
    telemetry.count('Quarantined', 0);
    telemetry.flush();
    expect(written).toBe('');
    telemetry.count('Quarantined', 0);
    telemetry.count('RunsCompleted', 1);
    telemetry.flush();
    expect(entry()).toHaveProperty('RunsCompleted', 1);
    expect(entry()).not.toHaveProperty('Quarantined');
  });

  it('start again at zero after each flush', () => {
    const telemetry = new PowertoolsTelemetry();
    telemetry.count('PagesRead', 2);
    telemetry.flush();
    telemetry.count('PagesRead', 1);
    telemetry.flush();
    telemetry.flush();
    expect(entries().map((metrics) => metrics['PagesRead'])).toEqual([2, 1]);
  });
});
