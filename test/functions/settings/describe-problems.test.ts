import { expect, it } from 'vitest';
import { describeProblems } from '../../../functions/settings/describe-problems.ts';
import { fields, matching } from '../../../functions/settings/field-types.ts';

const schema = fields({ url: matching(/^https$/, 'https') });

it.each([
  'https://someone:s3cret@api.example.com',
  'https://someone:p@s3cret@api.example.com',
  'someone:s3cret@api.example.com',
  'https://someone:s3\ncret@api.example.com',
  { from: `https://someone:s3cret${'x'.repeat(100)}@api.example.com` },
])('does not show the credentials in %j', (url) => {
  const { error } = schema.safeParse({ url });
  const problems = error && describeProblems(error, { url });
  expect(problems).toMatch(/^ {2}url is .*…@api\.example\.com.*; allowed: https$/);
  expect(problems).not.toMatch(/s3|cret|someone/);
});

it('does not show what signs webhooks', () => {
  const url = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const { error } = schema.safeParse({ url });
  expect(error && describeProblems(error, { url })).toBe('  url is "whsec_…"; allowed: https');
});
