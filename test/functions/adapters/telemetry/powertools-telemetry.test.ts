import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PowertoolsTelemetry } from '../../../../functions/adapters/telemetry/powertools-telemetry.ts';
import {
  LeaseLostError,
  ProtocolError,
  PublishFailedError,
  RefreshTokenRejectedError,
  ServiceError,
} from '../../../../functions/core/model/errors.ts';
import { METRICS, type Monitoring } from '../../../../functions/core/ports/metrics.ts';
import { RESERVED_FIELDS, type LogFields } from '../../../../functions/core/ports/telemetry.ts';

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

  it.each(RESERVED_FIELDS)('loses a field named %s, so the type of fields excludes it', (name) => {
    vi.stubEnv('POWERTOOLS_LOGGER_SAMPLE_RATE', '1');
    const fields = { [name]: 'lost' } as LogFields;
    new PowertoolsTelemetry().error('Run failed', new Error('down'), fields);
    expect(entries().at(-1)).toMatchObject({ message: 'Run failed' });
    expect(entries().at(-1)?.[name]).not.toBe('lost');
  });

  it('loses no other field of its own', () => {
    vi.stubEnv('POWERTOOLS_LOGGER_SAMPLE_RATE', '1');
    new PowertoolsTelemetry().error('Run failed', new Error('down'));
    const own = Object.keys(entries().at(-1) ?? {}).filter((name) => name !== 'xray_trace_id');
    expect(own.sort()).toEqual([...RESERVED_FIELDS]);
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

  it('leaves out entries below the configured level', () => {
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

  it.each([
    ['INFO', 1],
    ['DEBUG', 2],
  ])('has %s: the content of a broken answer is written on DEBUG only', (level, entryCount) => {
    vi.stubEnv('POWERTOOLS_LOG_LEVEL', level);
    const details = { hint: 'Wait.', excerpt: '[{"name":"Tower"' };
    const broken = new ProtocolError('GET /projects: the body must be JSON', details);
    new PowertoolsTelemetry().error('A feed failed', broken);
    const [failed, ...others] = entries();
    expect(JSON.stringify(failed)).not.toContain('Tower');
    expect(others).toHaveLength(entryCount - 1);
    for (const entry of others) expect(entry).toMatchObject({ level, excerpt: details.excerpt });
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

  it('cuts very long fields', () => {
    new PowertoolsTelemetry().info('Answer', { body: 'x'.repeat(100_000) });
    expect(written.length).toBeLessThan(5_000);
  });
});

const SECRET = 'Opaque-S3cret_Value';

describe('no secret is written', () => {
  it.each(['info', 'warn'] as const)('by %s: neither in the message nor in a field', (level) => {
    new PowertoolsTelemetry()[level](`sent Bearer ${SECRET}`, { api_token: SECRET });
    expect(entry()).toMatchObject({ message: 'sent Bearer [redacted]', api_token: '[redacted]' });
    expect(written).not.toContain(SECRET);
  });

  it('by error: neither in the message, the error nor a field', () => {
    const error = Object.assign(new Error(`access_token=${SECRET}`), { request: SECRET });
    new PowertoolsTelemetry().error(`sent Bearer ${SECRET}`, error, { api_token: SECRET });
    expect(written).not.toContain(SECRET);
  });
});

/** Telemetry that writes the metrics of a level. */
function telemetryOf(monitoring: Monitoring): PowertoolsTelemetry {
  const telemetry = new PowertoolsTelemetry();
  telemetry.setMonitoring(monitoring);
  return telemetry;
}

describe('the metrics', () => {
  it('are one entry a run in the embedded metric format, summed up', () => {
    const telemetry = telemetryOf('full');
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
    const telemetry = telemetryOf('full');
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
    const telemetry = telemetryOf('full');
    telemetry.count('PagesRead', 2);
    telemetry.flush();
    telemetry.count('PagesRead', 1);
    telemetry.flush();
    telemetry.flush();
    expect(entries().map((metrics) => metrics['PagesRead'])).toEqual([2, 1]);
  });

  it.each<[Monitoring, string[]]>([
    ['off', []],
    ['basic', ['RunsCompleted']],
    ['full', ['EventLagSeconds', 'PagesRead', 'RunsCompleted']],
  ])('with monitoring %s are %j', (monitoring, names) => {
    const telemetry = telemetryOf(monitoring);
    telemetry.count('PagesRead', 2);
    telemetry.count('RunsCompleted', 1);
    telemetry.observe('EventLagSeconds', 3);
    telemetry.flush();
    const known = Object.keys(METRICS);
    const written = entries().flatMap((metrics) => Object.keys(metrics));
    expect(written.filter((name) => known.includes(name))).toEqual(names);
  });

  it('are not written before the settings say so', () => {
    const telemetry = new PowertoolsTelemetry();
    telemetry.count('RunsCompleted', 1);
    telemetry.countFailedRun(new Error('down'));
    telemetry.flush();
    expect(written).toBe('');
  });

  it('have the unit that is declared', () => {
    const telemetry = telemetryOf('full');
    telemetry.count('PeakMemoryPercent', 40);
    telemetry.flush();
    const Metrics = [{ Name: 'PeakMemoryPercent', Unit: 'Percent' }];
    expect(entry()).toMatchObject({ _aws: { CloudWatchMetrics: [{ Metrics }] } });
  });

  it('tell the lag of each event as one value among others, in one entry', () => {
    const telemetry = telemetryOf('full');
    for (const seconds of [3, 0, 62]) telemetry.observe('EventLagSeconds', seconds);
    telemetry.flush();
    expect(entry()['EventLagSeconds']).toEqual([0, 3, 62]);
  });

  it.each([
    ['LeaseLostError', new LeaseLostError('lost', { hint: 'Wait.' })],
    ['AggregateError', new AggregateError([new Error('x')]), 'Other'],
    ['PublishFailedError', new AggregateError([new PublishFailedError('x', { hint: 'Wait.' })])],
    ['text', 'thrown', 'Other'],
  ])('count a failed run by the name of its error: %s', (name, error, dimension = name) => {
    const telemetry = telemetryOf('full');
    telemetry.countFailedRun(error);
    telemetry.flush();
    expect(entry()).toMatchObject({ service: 'sitecast-test', error: dimension, FailedRuns: 1 });
  });
});
