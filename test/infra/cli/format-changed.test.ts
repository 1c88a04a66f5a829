import { describe, expect, it } from 'vitest';
import { formatChange, formatChanged } from '../../../infra/cli/commands/format-changed.ts';

const LISTS = { listCount: 4, examples: ['projects', 'a', 'b', 'c'] };
const RETRY = { command: 'retry', ...LISTS, pausedCount: 0, deletedCount: 0, jobCount: 0 } as const;

describe('a change of lists', () => {
  it('names its first lists', () => {
    expect(formatChanged({ ...RETRY, command: 'pause', changedCount: 4 })).toBe(
      'Paused 4 lists: projects, a, b … and 1 more.',
    );
  });

  it('may concern no list', () => {
    expect(formatChange({ ...RETRY, command: 'pause', listCount: 0, examples: [] })).toBe(
      'pause would concern no list at the moment. Nothing was changed.',
    );
  });

  it.each([
    [1, '1 of them'],
    [4, 'All of them'],
  ])('tells that a retry or rewind waits for lists of a deleted project: %i', (n, which) => {
    const sentence = ` ${which} wait for their deleted project: a retry changes nothing there.`;
    expect(formatChange({ ...RETRY, deletedCount: n })).toContain(sentence);
    expect(formatChanged({ ...RETRY, deletedCount: n, changedCount: 4 })).toContain(sentence);
    expect(formatChanged({ ...RETRY, command: 'rewind', deletedCount: n })).toContain(
      ` ${which} wait for their deleted project: they are read within an hour.`,
    );
  });

  it('says nothing of deleted projects while all lists are paused, which alone decides', () => {
    const text = formatChanged({ ...RETRY, deletedCount: 2, pausedCount: 4 });
    expect(text).not.toContain('deleted project');
    expect(text).toContain(' All of them are paused: ');
    expect(formatChanged({ ...RETRY, isAllPaused: true })).toContain(
      ' All lists are paused: none is polled before sitecast resume --all.',
    );
  });

  it.each([
    [1, '1 of them is paused'],
    [2, '2 of them are paused'],
    [4, 'All of them are paused'],
  ])('tells which lists are not polled, since they are paused: %i', (pausedCount, which) => {
    const sentence = ` ${which}: not polled before you resume.`;
    expect(formatChange({ ...RETRY, pausedCount })).toContain(sentence);
    expect(formatChanged({ ...RETRY, pausedCount, changedCount: 4 })).toContain(sentence);
  });

  it('tells on trial that its lists are paused already, or that none is', () => {
    const pause = { ...RETRY, command: 'pause' } as const;
    expect(formatChange(pause)).not.toContain('paused');
    expect(formatChange({ ...pause, pausedCount: 4 })).toContain(
      '. All of them are paused already. ',
    );
    const resume = { ...RETRY, command: 'resume' } as const;
    expect(formatChange(resume)).toContain('None of them is paused by itself. ');
    expect(formatChange({ ...resume, listCount: 1 })).toContain('It is not paused.');
  });
});

it('Lists that have a job get no other, and are counted', () => {
  expect(formatChanged({ ...RETRY, command: 'replay', jobCount: 1 })).toBe(
    'To be replayed: 4 lists: projects, a, b … and 1 more. 1 of them has a job that is not over, and gets no other: cancel it first.',
  );
  expect(formatChanged({ ...RETRY, command: 'cancel', jobCount: 2 })).toContain(
    ' 2 of them have a job.',
  );
});
