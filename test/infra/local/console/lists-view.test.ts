import { expect, it } from 'vitest';
import type { ListStatus, StatusAnswer } from '../../../../functions/control/protocol.ts';
import { toListsView } from '../../../../infra/local/console/session/lists-view.ts';

function view(lists: readonly ListStatus[], outageSince?: string) {
  const status = { lists, commands: [], ...(outageSince !== undefined && { outageSince }) };
  return toListsView(status as unknown as StatusAnswer);
}

const deleted = Array.from({ length: 238 }, (_, index): ListStatus => {
  return { list: `projects/a${index}/floorplans`, state: 'project deleted' };
});

it('shows failing, paused and living lists before those of many deleted projects', () => {
  const { lists, counts } = view([
    ...deleted,
    { list: 'projects/z/floorplans', state: 'live' },
    { list: 'projects/z/template_checklists', state: 'paused' },
    { list: 'projects', state: 'live', failures: 2 },
  ]);
  expect(lists).toHaveLength(100);
  expect(lists.slice(0, 4).map(({ group }) => group)).toEqual([
    ...['failing', 'paused', 'live', 'project deleted'],
  ]);
  expect(counts).toEqual({ failing: 1, paused: 1, live: 1, 'project deleted': 238 });
});

it('counts each list once: as paused also if it failed before, as waiting in an outage', () => {
  const lists: ListStatus[] = [
    { list: 'projects', state: 'live' },
    { list: 'projects/a/floorplans', state: 'paused', failures: 1 },
    { list: 'projects/b/floorplans', state: 'baseline', failures: 1 },
  ];
  expect(view(lists).counts).toEqual({ live: 1, paused: 1, failing: 1 });
  expect(view(lists, '2026-11-24T08:00:00Z').counts).toEqual({ waiting: 1, paused: 1, failing: 1 });
});
