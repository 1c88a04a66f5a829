import type { ListState, StatusAnswer } from '../../../../functions/control/protocol.ts';

/** The states of lists, as flags and answers write them. */
export const STATES = {
  live: 'live',
  baseline: 'baseline',
  waiting: 'waiting',
  paused: 'paused',
  parked: 'parked',
  'not-polled': 'not polled',
} as const satisfies Record<string, ListState>;

export type StateWord = keyof typeof STATES;

const WORDS = new Map<ListState, StateWord>(
  (Object.keys(STATES) as StateWord[]).map((word) => [STATES[word], word]),
);

/** `not-polled` for `not polled`. */
export function wordOf(state: ListState): string {
  return WORDS.get(state) ?? state;
}

/** The answer for programs: its states are those of the flag `--state`. */
export function withStateWords(answer: StatusAnswer): object {
  const { totals, lists } = answer;
  const counts = Object.entries(totals.byState);
  const byState = counts.map(([state, count]) => [wordOf(state as ListState), count]);
  return {
    ...answer,
    totals: { ...totals, byState: Object.fromEntries(byState) as Record<string, number> },
    lists: lists.map((list) => ({ ...list, state: wordOf(list.state) })),
  };
}
