import { describe, expect, it } from 'vitest';
import {
  describeScope,
  readCount,
  readPastTime,
  readScope,
  type ScopeFlags,
} from '../../../infra/cli/flags.ts';

describe('a scope', () => {
  it.each<[ScopeFlags, object, string]>([
    [{ all: true }, {}, 'all lists'],
    [{ list: 'projects' }, { list: 'projects' }, 'projects'],
    [
      { list: '/projects/1/floorplans' },
      { list: 'projects/1/floorplans' },
      'projects/1/floorplans',
    ],
    [{ project: '1' }, { projectId: '1' }, 'project 1'],
    [{ resource: 'floorplans' }, { resource: 'floorplans' }, 'resource floorplans'],
    [
      { project: '1', resource: 'floorplans' },
      { projectId: '1', resource: 'floorplans' },
      'resource floorplans of project 1',
    ],
  ])('of %j is %j', (flags, scope, words) => {
    expect(readScope(flags)).toEqual(scope);
    expect(describeScope(scope)).toBe(words);
  });

  it.each<[ScopeFlags, string]>([
    [{}, 'The command needs to know which lists: no scope was given.'],
    [{ all: true, project: '1' }, '--all contradicts --project.'],
    [{ list: 'projects', resource: 'x' }, '--list contradicts --resource: it names one list.'],
  ])('of %j is refused', (flags, message) => {
    expect(() => readScope(flags)).toThrow(message);
  });
});

describe('a time in the past', () => {
  const now = Date.parse('2026-11-22T10:00:00.000Z');

  it.each([
    ['2026-11-22T09:00:00Z', '2026-11-22T09:00:00.000Z'],
    ['2026-11-22T09:00+02:00', '2026-11-22T07:00:00.000Z'],
    ['2026-11-21', '2026-11-21T00:00:00.000Z'],
    ['90min', '2026-11-22T08:30:00.000Z'],
    ['20s', '2026-11-22T09:59:40.000Z'],
    ['5m', '2026-11-22T09:55:00.000Z'],
    ['2h', '2026-11-22T08:00:00.000Z'],
    ['3 d', '2026-11-19T10:00:00.000Z'],
  ])('is read from %s', (input, time) => {
    expect(readPastTime(input, now)).toBe(time);
  });

  it.each([
    'yesterday',
    '2026-11-22T10:00:01Z',
    '2026-02-30',
    '2026-13-01',
    '2026-11-22T25:00:00Z',
    '5mo',
    '999999d',
    '-1h',
  ])('is not %s', (input) => {
    expect(() => readPastTime(input, now)).toThrow(
      'allowed: a time in the past such as 2026-11-22T09:00:00Z, a day such as 2026-11-22 (its start in UTC), or an age such as 90min, 2h or 3d',
    );
  });

  it.each(['2026-11-22T09:00:00', '2026-11-22 09:00:00'])('needs a zone: %s', (input) => {
    expect(() => readPastTime(input, now)).toThrow(
      'its zone is missing: write 2026-11-22T09:00:00Z for UTC, or 2026-11-22T09:00:00+01:00',
    );
  });
});

it('a count is a whole number', () => {
  expect(readCount('20')).toBe(20);
  for (const wrong of ['-1', '1.5', 'all', '']) {
    expect(() => readCount(wrong)).toThrow('allowed: a whole number, 0 for all');
  }
});
