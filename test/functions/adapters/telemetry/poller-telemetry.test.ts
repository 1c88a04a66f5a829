import { describe, expect, it } from 'vitest';
import { PollerTelemetry } from '../../../../functions/adapters/telemetry/poller-telemetry.ts';
import {
  RefreshTokenRejectedError,
  ServiceError,
} from '../../../../functions/core/model/errors.ts';
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

  it('writes name, message, hint, status and the chain of causes of an error', () => {
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
});

const SECRET = 'Opaque-S3cret_Value';

describe('no secret is written', () => {
  it.each(['info', 'warn'] as const)('by %s: neither in the message nor in a field', (level) => {
    new PollerTelemetry()[level](`sent Bearer ${SECRET}`, { api_token: SECRET });
    expect(entry()).toMatchObject({ message: 'sent Bearer [redacted]', api_token: '[redacted]' });
    expect(output.text()).not.toContain(SECRET);
  });
});
