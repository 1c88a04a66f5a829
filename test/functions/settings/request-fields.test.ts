import { describe, expect, it } from 'vitest';
import { describeProblems } from '../../../functions/settings/describe-problems.ts';
import { pollerConfig } from '../../../functions/settings/poller-config.ts';
import { ADDRESSES } from '../../support/config-samples.ts';

function problemsOf(fields: object): string {
  const config = { ...ADDRESSES, ...fields };
  const { error } = pollerConfig.safeParse(config);
  return error === undefined ? '' : describeProblems(error, config);
}

describe('headers', () => {
  it('have the names of the spec unless config names others', () => {
    const { headers } = pollerConfig.parse({ ...ADDRESSES, headers: { perPage: 'X-Size' } });
    expect(headers).toEqual({ version: 'Service-Version', perPage: 'X-Size' });
  });

  it.each([
    ...['Authorization', 'accept', 'HOST', 'If-None-Match', 'Range', 'TE'],
    ...['', 'two words', 'Bränd', 'a\nb', 'a'.repeat(65)],
  ])('are refused with the name %j', (name) => {
    for (const field of ['version', 'perPage']) {
      expect(problemsOf({ headers: { [field]: name } })).toMatch(
        new RegExp(`^  headers\\.${field} is .*; allowed: a header name of .* authorization`),
      );
    }
    expect(problemsOf({ headers: { extra: { [name]: 'a' } } })).toMatch(
      /^ {2}headers\.extra\..* is not a valid name; allowed: a header name .* authorization/s,
    );
  });

  it.each(['', ' a', 'a\r\nb', 'é', 5, 'a'.repeat(201)])(
    'are refused with the value %j',
    (value) => {
      expect(problemsOf({ headers: { extra: { 'Brand-Filter': value } } })).toMatch(
        /^ {2}headers\.extra\.Brand-Filter is .*; allowed: text of 1 to 200 ASCII characters/,
      );
    },
  );

  it.each([
    [{ version: 'X-A', perPage: 'x-a' }, 'headers.perPage'],
    [{ extra: { 'service-version': 'a' } }, 'headers.extra.service-version'],
    [{ perPage: 'X-A', extra: { 'X-a': 'a' } }, 'headers.extra.X-a'],
    [{ extra: { 'X-B': 'a', 'x-b': 'b' } }, 'headers.extra.x-b'],
  ])('are refused if two have one name: %j', (headers, field) => {
    expect(problemsOf({ headers })).toMatch(
      new RegExp(`^  ${field} is .*; allowed: a header name that is used once`),
    );
  });

  it('may have any other name and value', () => {
    const extra = { 'X-Show_9': '{"deleted": "show"}', Iffy: 'x', Cookie: 'a=b; c=d' };
    expect(problemsOf({ headers: { extra } })).toBe('');
    // The name of the spec is free once the service has another one.
    expect(problemsOf({ headers: { version: 'V', extra: { 'Service-Version': 'x' } } })).toBe('');
  });
});

describe('query', () => {
  it.each(['last_synced_at', 'with_current_sheet', '', 'a&b'])(
    'is refused with the parameter %j',
    (name) => {
      expect(problemsOf({ query: { projects: { [name]: 'a' } } })).toMatch(
        /^ {2}query\.projects\..* is not a valid name; allowed: .* withCurrentSheet$/,
      );
    },
  );

  it.each([5, 'a\nb', 'a'.repeat(201)])('is refused with the value %j', (value) => {
    expect(problemsOf({ query: { projects: { view: value } } })).toMatch(
      /^ {2}query\.projects\.view is .*; allowed: text of at most 200 characters/,
    );
  });

  it('may have any other parameter and value', () => {
    const query = { projects: { 'filter[status]': 'a&b=c é', empty: '' } };
    expect(problemsOf({ query })).toBe('');
    expect(problemsOf({ query: 'view=full' })).toContain('allowed: an object with one entry per');
    expect(problemsOf({ query: { projects: 'view=full' } })).toContain('an object of query param');
  });
});
