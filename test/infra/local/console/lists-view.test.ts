import { expect, it } from 'vitest';
import type { ListStatus, StatusAnswer } from '../../../../functions/control/protocol.ts';
import { toListsView } from '../../../../infra/local/console/session/lists-view.ts';

const parked = Array.from({ length: 238 }, (_, index): ListStatus => {
  return { list: `projects/a${index}/floorplans`, state: 'parked' };
});

it('shows waiting, paused and living lists before those of many deleted projects', () => {
  const status: Partial<StatusAnswer> = {
    jobs: [],
    lists: [
      ...parked,
      { list: 'projects/z/floorplans', state: 'live' },
      { list: 'projects/z/template_checklists', state: 'paused' },
      { list: 'projects', state: 'waiting', failures: 2 },
    ],
  };
  const { lists, counts } = toListsView(status as StatusAnswer);
  expect(lists).toHaveLength(100);
  expect(lists.slice(0, 4).map(({ state }) => state)).toEqual([
    ...['waiting', 'paused', 'live', 'parked'],
  ]);
  expect(counts).toEqual({ waiting: 1, paused: 1, live: 1, parked: 238 });
});
