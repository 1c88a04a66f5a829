import { describe, expect, it } from 'vitest';
import { readPage } from '../../../../functions/adapters/service-api/parse-page.ts';
import { judgeLists, type PageRead } from '../../../../infra/cli/check/list-rules.ts';

interface Answer {
  readonly name?: string;
  readonly entities?: readonly unknown[];
  readonly hasMore?: boolean;
}

/** Reads a page of a service that does all that is expected of it, but for what a test changes. */
function read({ name = 'plans', entities = [live(1), deleted(2)], ...page }: Answer) {
  const headers = new Headers({
    'X-Has-More': String(page.hasMore ?? false),
    'X-Count': String(entities.length),
    'X-Last-Synced-At': '2026-01-01T00:00:09.000Z',
    Date: 'Thu, 01 Jan 2026 00:00:10 GMT',
  });
  const broken = (reason: string) => expect.fail(reason);
  return {
    resource: { name },
    perPage: 4,
    page: readPage({ status: 200, value: entities, headers, elapsedMs: 0, broken }),
  } satisfies PageRead;
}

function live(second: number, fields: object = {}) {
  return { id: `e${second}`, updated_at: `2026-01-01T00:00:0${second}.000Z`, ...fields };
}

function deleted(second: number) {
  return live(second, { deleted_at: '2026-01-01T00:00:00.000Z' });
}

function judge(...answers: readonly Answer[]): string[] {
  return judgeLists(answers.map(read)).map(({ result, text }) => `${result}: ${text}`);
}

describe('a list that was read', () => {
  it.each<[string, Answer]>([
    ['is as expected', {}],
    ['has full pages and more', { entities: [1, 1, 2, 2].map(deleted), hasMore: true }],
    ['ends before the page is full', { entities: [deleted(1)] }],
    ['is empty', { entities: [] }],
  ])('raises no finding when it %s', (_, answer) => {
    expect(judge(answer)).toEqual([]);
  });

  it.each<[string, Answer, RegExp]>([
    [
      'has smaller pages than asked for',
      { entities: [deleted(1), live(2)], hasMore: true },
      /^warning: plans: asked for 4, got 2 and more: .*headers\.perPage/,
    ],
    [
      'is out of order',
      { entities: [deleted(1), live(3), live(2)] },
      /^warning: plans: out of order.*query/,
    ],
    [
      'has invalid entities',
      { entities: [deleted(1), live(2, { id: 7.5 }), live(3, { updated_at: 7 }), 'Ada'] },
      /^warning: plans: 3 of 4 entities are invalid \(id 1, updated_at 1, an entity 1\)/,
    ],
    [
      'shows no deleted entity',
      { entities: [live(1), live(2, { deleted_at: null })] },
      /^not checked: plans: no entity is deleted.*headers\.extra/,
    ],
  ])('that %s is named with what to do, and nothing else is said', (_, answer, expected) => {
    const findings = judge(answer);
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatch(expected);
  });

  it('may repeat on a page what ended the one before, as with a cursor in whole milliseconds', () => {
    const [first, second, third] = ['123456', '123789', '124'].map((fraction, index) => ({
      ...{ id: `e${index}`, updated_at: `2026-01-01T00:00:00.${fraction}Z` },
      deleted_at: null,
    }));
    const pages = [
      [deleted(0), first, second],
      [first, second, third],
    ];
    expect(judge(...pages.map((entities) => ({ entities })))).toEqual([]);
  });
});
