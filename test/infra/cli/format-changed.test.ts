import { expect, it } from 'vitest';
import type { ChangedAnswer } from '../../../functions/control/protocol.ts';
import { formatChanged } from '../../../infra/cli/commands/change.ts';

const LISTS = { listCount: 4, examples: ['projects', 'a', 'b', 'c'] };
const RETRY = { command: 'retry', ...LISTS, pausedCount: 0, deletedCount: 0, jobCount: 0 } as const;

it.each<[Partial<ChangedAnswer>, string]>([
  [{ command: 'pause', changedCount: 4 }, 'Paused 4 lists: projects, a, b … and 1 more.'],
  [{ command: 'cancel', changedCount: 0 }, 'Ended the jobs of 0 of 4 lists: projects, a'],
  [
    { command: 'pause', listCount: 0, examples: [] },
    'pause would concern no list at the moment. Nothing was changed.',
  ],
  [{ deletedCount: 2 }, 'since their projects are deleted: 2.'],
  [{ pausedCount: 1 }, 'not polled before you resume: 1.'],
  [{ isAllPaused: true }, 'none is polled before sitecast resume --all.'],
  [{ command: 'replay', jobCount: 1 }, 'With a job that is not over: 1.'],
  [{ command: 'cancel', jobCount: 2 }, 'With a job that is not over: 2.'],
])('the change %j is printed: %s', (answer, text) => {
  expect(formatChanged({ ...RETRY, ...answer })).toContain(text);
});
