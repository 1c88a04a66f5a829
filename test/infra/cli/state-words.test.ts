import { expect, it } from 'vitest';
import type { StatusAnswer } from '../../../functions/control/protocol.ts';
import { withStateWords } from '../../../infra/cli/commands/status/state-words.ts';

it('an answer for programs has the states of the flag --state', () => {
  const byState = {
    live: 1,
    baseline: 0,
    waiting: 0,
    paused: 0,
    parked: 1,
    'not polled': 2,
  };
  const answer: StatusAnswer = {
    ...{ command: 'status', shards: 1, runs: [], matchCount: 1, jobs: [] },
    totals: { lists: 4, byState },
    lists: [{ list: 'a', state: 'not polled' }],
  };
  expect(withStateWords(answer)).toMatchObject({
    totals: { lists: 4, byState: { live: 1, parked: 1, 'not-polled': 2 } },
    lists: [{ list: 'a', state: 'not-polled' }],
  });
});
