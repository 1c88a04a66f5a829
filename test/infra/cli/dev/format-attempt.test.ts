import { expect, it } from 'vitest';
import { formatAttempt } from '../../../../infra/cli/dev/format-attempt.ts';

const AT = '2026-03-01T10:00:00.000Z';

const DELIVERED = {
  ...{ level: 'INFO', message: 'Webhook attempt', webhook: 'hook', id: 'e1' },
  ...{ type: 'project.updated', subject: '/projects/9d9bacd4-44a2-43be', at: AT, count: 1 },
  ...{ outcome: 'delivered', status: 204, durationMs: 12 },
};

const FAILED = { ...DELIVERED, level: 'WARN', outcome: 'failed', status: 503, reason: 'Not now.' };

const later = (seconds: number) => new Date(Date.parse(AT) + seconds * 1000).toISOString();

it.each<[object, string]>([
  [DELIVERED, '→ hook  project.updated 9d9bacd4…  delivered 204 in 12 ms'],
  [{ ...DELIVERED, count: 2 }, 'delivered 204 in 12 ms, attempt 2'],
  [{ ...FAILED, nextAt: later(5.4) }, 'failed 503 in 12 ms, next in 5 s: Not now.'],
  [
    { ...FAILED, status: undefined, nextAt: later(310) },
    'failed in 12 ms, next in 5 min: Not now.',
  ],
])('formats the attempt %j', (entry, expected) => {
  expect(formatAttempt(JSON.stringify(entry))).toContain(expected);
});

it.each(['Webhook attempt', '{"message":"Run done"}', ''])('finds no attempt in %j', (line) => {
  expect(formatAttempt(line)).toBeUndefined();
});
