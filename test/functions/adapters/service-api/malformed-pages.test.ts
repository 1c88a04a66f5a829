import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FeedError } from '../../../../functions/core/model/errors.ts';
import { parseTimestamp } from '../../../../functions/core/model/timestamp.ts';
import type { Page } from '../../../../functions/core/ports/service-api.ts';
import { anyCharacter } from '../../../support/arbitraries.ts';
import { serve } from '../../../support/local-server.ts';
import { LIST, makeClient } from './service-client.ts';

const HEADER_CHARACTERS = ' -0123456789:.,;TZtruefals"{}'.split('');

/** A header's value: mostly right, else nearly right, absent, or anything HTTP carries. */
const header = (right: (string | undefined)[], wrong: string[]) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...right) },
    { weight: 1, arbitrary: fc.constantFrom(...wrong, undefined) },
    {
      weight: 1,
      arbitrary: fc.string({ unit: fc.constantFrom(...HEADER_CHARACTERS), maxLength: 30 }),
    },
  );

const entity = fc.constant({ id: 'a', updated_at: '2024-01-02T03:04:05Z' });

const answer = fc.record({
  status: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(200, 201) },
    { weight: 1, arbitrary: fc.constantFrom(204, 302, 400, 403, 404, 418, 429, 500, 503, 599) },
  ),
  hasMore: header(['true', 'false', 'True', 'true, true'], ['no', '1', 'true, false']),
  count: header([undefined, '0', '1'], ['2', '-1', 'NaN', '1e0']),
  cursor: header(
    [undefined, '', '2024-01-02T03:04:05.678Z'],
    ['2024-13-41T99:99:99.999Z', '2024-01-02', '0'],
  ),
  body: fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .array(fc.oneof(fc.jsonValue({ maxDepth: 2 }), entity), { maxLength: 2 })
        .map((values) => JSON.stringify(values)),
    },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: fc.string({ unit: anyCharacter }) },
  ),
});

type Sent = typeof answer extends fc.Arbitrary<infer T> ? T : never;

/** The values of a page by the spec's rules, said once more; undefined for what is no page. */
function valuesOf(sent: Sent): readonly unknown[] | undefined {
  if (sent.status === 204) return [];
  let value: unknown;
  try {
    value = JSON.parse(sent.body);
  } catch {
    return undefined;
  }
  const isPage =
    (sent.status === 200 || sent.status === 201) &&
    Array.isArray(value) &&
    /^\s*(true|false)(\s*,\s*\1)*\s*$/i.test(sent.hasMore ?? '') &&
    (saidOnce(sent.count) === '' || Number(saidOnce(sent.count)) === value.length) &&
    (/false/i.test(sent.hasMore ?? '') ||
      saidOnce(sent.cursor) === '' ||
      parseTimestamp(saidOnce(sent.cursor)) !== undefined);
  return isPage ? (value as unknown[]) : undefined;
}

/** A header that is sent repeatedly with equal values is one header. */
function saidOnce(value = ''): string {
  const said = new Set(value.split(',').map((each) => each.trim()));
  return said.size === 1 ? [...said].join() : value.trim();
}

async function outcome(reading: Promise<Page>): Promise<Page | Error> {
  return reading.catch((error: unknown) => error as Error);
}

it('any answer is a page of the spec or a clear FeedError', async () => {
  let sent: Sent = { status: 200, hasMore: 'false', count: '0', cursor: '', body: '[]' };
  const service = await serve((response) => {
    if (sent.hasMore !== undefined) response.setHeader('X-Has-More', sent.hasMore);
    if (sent.count !== undefined) response.setHeader('X-Count', sent.count);
    if (sent.cursor !== undefined) response.setHeader('X-Last-Synced-At', sent.cursor);
    // A 429 without a time pauses for half a minute.
    response.writeHead(sent.status, { 'Retry-After': '0' }).end(sent.body);
  });
  const client = makeClient(service.url, { tries: 2, retryBaseMs: 0 });
  const seen = { pages: 0, errors: 0 };
  await fc.assert(
    fc.asyncProperty(answer, async (generated) => {
      sent = generated;
      const got = await outcome(client.fetchPage(LIST));
      const values = valuesOf(sent);
      if (values !== undefined) {
        seen.pages++;
        expect(got).not.toBeInstanceOf(Error);
        expect((got as Page).entities.length + (got as Page).invalid.length).toBe(values.length);
      } else {
        seen.errors++;
        expect(got).toBeInstanceOf(FeedError);
        expect((got as FeedError).message).toMatch(/^GET \/projects[ :]/);
        expect((got as FeedError).message.length).toBeLessThan(500);
        expect((got as FeedError).hint).not.toBe('');
      }
    }),
    { numRuns: 200 },
  );
  expect(seen.pages).toBeGreaterThan(0);
  expect(seen.errors).toBeGreaterThan(0);
});
