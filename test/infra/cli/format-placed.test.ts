import { describe, expect, it } from 'vitest';
import { formatDryRun, formatPlaced } from '../../../infra/cli/commands/format-placed.ts';

const LISTS = { listCount: 4, examples: ['projects', 'a', 'b', 'c'] };
const RETRY = { command: 'retry', ...LISTS } as const;
const REPLAY = { command: 'replay', ...LISTS } as const;

describe('a command', () => {
  it('names its first lists, and its id', () => {
    expect(formatPlaced({ ...RETRY, id: '1-a' })).toBe(
      'retry concerns 4 lists: projects, a, b … and 1 more. Command 1-a is placed.',
    );
  });

  it('may concern no list', () => {
    expect(formatDryRun({ command: 'pause', listCount: 0, examples: [] })).toBe(
      'pause would concern no list at the moment. Nothing was changed.',
    );
  });

  it.each([
    [1, '1 of them'],
    [4, 'All of them'],
  ])('tells that a retry or rewind waits for lists of a deleted project: %i', (n, which) => {
    const sentence = ` ${which} wait for their deleted project: a retry changes nothing there. `;
    expect(formatDryRun({ ...RETRY, deletedCount: n })).toContain(sentence);
    expect(formatPlaced({ ...RETRY, deletedCount: n, id: '1-a' })).toContain(sentence);
    expect(formatPlaced({ ...RETRY, command: 'rewind', deletedCount: n, id: '1-a' })).toContain(
      ` ${which} wait for their deleted project: they are read within an hour. `,
    );
  });

  it('says nothing of deleted projects while all lists are paused, which alone decides', () => {
    const text = formatPlaced({ ...RETRY, deletedCount: 2, pausedCount: 4, id: '1-a' });
    expect(text).not.toContain('deleted project');
    expect(text).toContain(' All of them are paused: ');
  });

  it.each([
    [1, '1 of them is paused'],
    [2, '2 of them are paused'],
    [4, 'All of them are paused'],
  ])('tells which lists are not polled, since they are paused: %i', (pausedCount, which) => {
    const sentence = ` ${which}: not polled before you resume. `;
    expect(formatDryRun({ ...RETRY, pausedCount })).toContain(sentence);
    expect(formatPlaced({ ...RETRY, pausedCount, id: '1-a' })).toContain(sentence);
    const only = { ...RETRY, listCount: 1, pausedCount: 1 };
    expect(formatDryRun(only)).toContain(' It is paused: not polled before you resume. ');
  });

  it('tells that its lists are paused already', () => {
    const pause = { command: 'pause', ...LISTS } as const;
    expect(formatDryRun(pause)).not.toContain('paused');
    expect(formatPlaced({ ...pause, pausedCount: 4 })).toContain(
      '. All of them are paused already. ',
    );
    expect(formatPlaced({ ...pause, pausedCount: 1 })).toContain('. 1 of them is paused already. ');
  });

  it('tells that there is nothing to resume', () => {
    const resume = { command: 'resume', ...LISTS } as const;
    expect(formatPlaced({ ...resume, pausedCount: 0 })).toContain('. None of them is paused. ');
    expect(formatPlaced({ ...resume, listCount: 1, pausedCount: 0 })).toContain(
      'It is not paused.',
    );
    expect(formatPlaced({ ...resume, listCount: 0, pausedCount: 0 })).not.toContain('paused');
    expect(formatPlaced({ ...resume, pausedCount: 2 })).not.toContain('paused');
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
