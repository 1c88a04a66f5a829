import { describe, expect, it, vi } from 'vitest';
import { PollerTelemetry } from '../../../../functions/adapters/telemetry/poller-telemetry.ts';
import {
  ProtocolError,
  RefreshTokenRejectedError,
  ServiceError,
} from '../../../../functions/core/model/errors.ts';
import { RESERVED_FIELDS } from '../../../support/recording-telemetry.ts';
import { captureOutput } from './capture-output.ts';

const output = captureOutput();
const { entries, entry } = output;

describe('the log', () => {
  it('is one JSON object an entry, with level, service and fields', () => {
    const telemetry = new PollerTelemetry();
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

  it.each(RESERVED_FIELDS)('loses a field named %s', (name) => {
    vi.stubEnv('POWERTOOLS_LOGGER_SAMPLE_RATE', '1');
    const fields = { [name]: 'lost' };
    new PollerTelemetry().error('Run failed', new Error('down'), fields);
    expect(entries().at(-1)).toMatchObject({ message: 'Run failed' });
    expect(entries().at(-1)?.[name]).not.toBe('lost');
  });

  it('loses no other field of its own', () => {
    vi.stubEnv('POWERTOOLS_LOGGER_SAMPLE_RATE', '1');
    new PollerTelemetry().error('Run failed', new Error('down'));
    const own = Object.keys(entries().at(-1) ?? {}).filter((name) => name !== 'xray_trace_id');
    expect(own.sort()).toEqual(RESERVED_FIELDS);
  });

  it('names the request once the run has started', () => {
    const telemetry = new PollerTelemetry();
    telemetry.startRun({
      awsRequestId: 'request-1',
      functionName: 'poller',
      functionVersion: '1',
      invokedFunctionArn: 'arn:aws:lambda:eu-central-1:123456789012:function:poller',
      memoryLimitInMB: '512',
    } as Parameters<PollerTelemetry['startRun']>[0]);
    telemetry.info('Started');
    expect(entry()).toMatchObject({ function_request_id: 'request-1', function_name: 'poller' });
  });

  it('leaves out entries below the configured level', () => {
    vi.stubEnv('POWERTOOLS_LOG_LEVEL', 'WARN');
    const telemetry = new PollerTelemetry();
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
    new PollerTelemetry().error('Run failed', rejected, { feed: 'projects' });
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

  it.each([
    ['INFO', 1],
    ['DEBUG', 2],
  ])('has %s: the content of a broken answer is written on DEBUG only', (level, entryCount) => {
    vi.stubEnv('POWERTOOLS_LOG_LEVEL', level);
    const details = { hint: 'Wait.', excerpt: '[{"name":"Tower"' };
    const broken = new ProtocolError('GET /projects: the body must be JSON', details);
    new PollerTelemetry().error('A feed failed', broken);
    const [failed, ...others] = entries();
    expect(JSON.stringify(failed)).not.toContain('Tower');
    expect(others).toHaveLength(entryCount - 1);
    for (const entry of others) expect(entry).toMatchObject({ level, excerpt: details.excerpt });
  });

  it('tells where an error comes from without repeating its message', () => {
    new PollerTelemetry().error('Run failed', new Error('one\ntwo'));
    const { stack } = entry()['error'] as { stack: string[] };
    expect(stack.filter((line) => !line.startsWith('    at '))).toEqual([]);
  });

  it.each([['text'], [undefined], [{ reason: 'odd' }]])(
    'takes %j where an error was expected',
    (thrown) => {
      new PollerTelemetry().error('Run failed', thrown);
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
    new PollerTelemetry().error('Run failed', error, { circle });
    expect(entry()).toMatchObject({
      circle: { size: '10', at: '1970-01-01T00:00:00.000Z', set: [1], body: '[3 bytes]' },
      error: { message: 'round', cause: { message: 'round' } },
    });
  });

  it('cuts very long fields', () => {
    new PollerTelemetry().info('Answer', { body: 'x'.repeat(100_000) });
    expect(output.text().length).toBeLessThan(5_000);
  });
});

const SECRET = 'Opaque-S3cret_Value';

describe('no secret is written', () => {
  it.each(['info', 'warn'] as const)('by %s: neither in the message nor in a field', (level) => {
    new PollerTelemetry()[level](`sent Bearer ${SECRET}`, { api_token: SECRET });
    expect(entry()).toMatchObject({ message: 'sent Bearer [redacted]', api_token: '[redacted]' });
    expect(output.text()).not.toContain(SECRET);
  });

  it('by error: neither in the message, the error nor a field', () => {
    const error = Object.assign(new Error(`access_token=${SECRET}`), { request: SECRET });
    new PollerTelemetry().error(`sent Bearer ${SECRET}`, error, { api_token: SECRET });
    expect(output.text()).not.toContain(SECRET);
  });
});
