import { expect, it } from 'vitest';
import type { ChangedAnswer, StatusAnswer } from '../../../../functions/control/protocol.ts';
import { PlacedCommands } from '../../../../infra/local/console/session/placed-commands.ts';

const answer: ChangedAnswer = {
  command: 'replay',
  id: 'r1',
  listCount: 1,
  examples: ['projects/p/floorplans'],
  ...{ changedCount: 1, jobCount: 0, pausedCount: 0, deletedCount: 0 },
};
const nameOf = (list: string): string => list.replace('projects/p/', 'Harbour · ');

function statusWith(...ids: string[]): StatusAnswer {
  return { jobs: ids.map((id) => ({ id, waiting: 1 })) } as unknown as StatusAnswer;
}

it('tells once of a command whose jobs do not wait in a later status', () => {
  const placed = new PlacedCommands();
  placed.add(answer, nameOf);
  const later = Date.now() + 1;
  expect(placed.takeEnded(statusWith('r1'), later)).toEqual([]);
  expect(placed.takeEnded(statusWith(), later)).toEqual(['replay of Harbour · floorplans']);
  expect(placed.takeEnded(statusWith(), later)).toEqual([]);
});

it('tells nothing by a status from before the command', () => {
  const placed = new PlacedCommands();
  placed.add(answer, nameOf);
  expect(placed.takeEnded(statusWith(), Date.now() - 1_000)).toEqual([]);
});

it('tells the number of lists where there are many, and nothing of what was only tried', () => {
  const placed = new PlacedCommands();
  const { id: _, changedCount: __, ...dryRun } = answer;
  placed.add({ ...dryRun, command: 'pause', listCount: 7, changedCount: 7 }, nameOf);
  placed.add(dryRun, nameOf);
  placed.add({ error: { message: 'No.' } }, nameOf);
  expect(placed.takeEnded(statusWith(), Date.now() + 1)).toEqual(['pause of 7 lists']);
});
