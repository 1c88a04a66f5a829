import { expect, it } from 'vitest';
import type { ChangedAnswer } from '../../../functions/control/protocol.ts';
import { formatChanged } from '../../../infra/cli/commands/change.ts';

const LISTS = { listCount: 4, examples: ['projects', 'a', 'b', 'c'] };
const RETRY = { command: 'retry', ...LISTS, pausedCount: 0, deletedCount: 0, jobCount: 0 } as const;

it.each<[Partial<ChangedAnswer>, string]>([
  [{ command: 'pause', changedCount: 4 }, 'Paused 4 lists: projects, a, b … and 1 more.'],
  [{ command: 'resume', changedCount: 1, examples: ['a'] }, 'Resumed 1 of 4 lists: a.'],
  [{ command: 'pause', changedCount: 3 }, 'already: 1.'],
  [{ command: 'resume', changedCount: 1, pausedCount: 1 }, 'Not paused by themselves: 3.'],
  [{ command: 'resume', changedCount: 4, pausedCount: 1 }, 'until you resume them: 1.'],
  [{ command: 'resume', changedCount: 4, isAllPaused: true }, 'All lists are paused: '],
  [{ command: 'cancel', changedCount: 0, examples: [] }, 'Ended the jobs of 0 of 4 lists.'],
  [
    { command: 'pause', listCount: 0, examples: [] },
    'pause would concern no list at the moment. Nothing was changed.',
  ],
  [{ deletedCount: 2 }, 'since their projects are deleted: 2.'],
  [{ pausedCount: 1 }, 'not polled before you resume: 1.'],
  [{ command: 'reconcile', pausedCount: 1 }, 'skipped: 1.'],
  [{ isAllPaused: true }, 'All lists are paused: sitecast resume --all --local ends that.'],
  [{ command: 'replay', jobCount: 1 }, 'With a job that is not over: 1.'],
  [{ command: 'cancel', jobCount: 2 }, 'With a job that is not over: 2.'],
])('the change %j is printed: %s', (answer, text) => {
  const view = { command: (words: string) => `sitecast ${words} --local` };
  expect(formatChanged({ ...RETRY, ...answer }, view)).toContain(text);
});
