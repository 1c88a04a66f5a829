import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readPastTime, readScope, wholeNumber, type ScopeFlags } from '../../../infra/cli/flags.ts';

describe('a scope', () => {
  it.each<[ScopeFlags, object]>([
    [{ all: true }, {}],
    [{ list: '/projects/1/floorplans' }, { list: 'projects/1/floorplans' }],
    [
      { project: '1', resource: 'floorplans' },
      { projectId: '1', resource: 'floorplans' },
    ],
  ])('of %j is %j', (flags, scope) => {
    expect(readScope(flags)).toEqual(scope);
  });

  it.each<[ScopeFlags, string]>([
    [{}, 'The command needs to know which lists: no scope was given.'],
    [{ all: true, project: '1' }, '--all contradicts --project.'],
    [{ list: 'projects', resource: 'x' }, '--list contradicts --resource.'],
  ])('of %j is refused', (flags, message) => {
    expect(() => readScope(flags)).toThrow(message);
  });
});

describe('a time in the past', () => {
  beforeEach(() => vi.useFakeTimers({ now: Date.parse('2026-11-22T10:00:00.000Z') }));
  afterEach(() => vi.useRealTimers());

  it.each([
    ['2026-11-22T09:00:00Z', '2026-11-22T09:00:00.000Z'],
    ['2026-11-22T09:00+02:00', '2026-11-22T07:00:00.000Z'],
    ['2026-11-21', '2026-11-21T00:00:00.000Z'],
    ['90min', '2026-11-22T08:30:00.000Z'],
    ['3 d', '2026-11-19T10:00:00.000Z'],
  ])('is read from %s', (input, time) => {
    expect(readPastTime(input)).toBe(time);
  });

  it.each([
    ...['yesterday', '2026-11-22T10:00:01Z', '2026-02-30', '2026-11-22T25:00:00Z'],
    ...['2026-11-22T09:00:00', '5mo', '999999d', '-1h'],
  ])('is not %s', (input) => {
    expect(() => readPastTime(input)).toThrow('allowed: a time in the past with its zone such as');
  });
});

it('a number is whole, and within its limits', () => {
  const { parse: read } = wholeNumber(1, 20, '');
  expect(read('20')).toBe(20);
  for (const wrong of ['0', '21', '-1', '1.5', 'all', '']) {
    expect(() => read(wrong)).toThrow('allowed: a whole number from 1 to 20');
  }
});
