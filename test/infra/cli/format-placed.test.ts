import { describe, expect, it } from 'vitest';
import { formatChange, formatChanged } from '../../../infra/cli/commands/format-changed.ts';
import { formatDryRun, formatPlaced } from '../../../infra/cli/commands/format-placed.ts';

const LISTS = { listCount: 4, examples: ['projects', 'a', 'b', 'c'] };
const RETRY = { command: 'retry', ...LISTS, pausedCount: 0, deletedCount: 0 } as const;
const REPLAY = { command: 'replay', ...LISTS } as const;

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

describe('a command that takes many runs', () => {
  it('names its first lists, and its id', () => {
    expect(formatPlaced({ ...REPLAY, id: '1-a' })).toBe(
      'replay concerns 4 lists: projects, a, b … and 1 more. Command 1-a is placed.',
    );
  });

  it.each([
    [{ eventCount: 1, listCount: 4 }, 'It would tell 1 event again.'],
    [
      { eventCount: 2000, listCount: 3 },
      'It would tell at least 2,000 events again: 3 of the lists were counted in time.',
    ],
  ])('counts the events of a replay: %j', (counted, sentence) => {
    expect(formatDryRun({ ...REPLAY, counted })).toBe(
      `replay would concern 4 lists: projects, a, b … and 1 more. ${sentence} Nothing was changed.`,
    );
  });
});
