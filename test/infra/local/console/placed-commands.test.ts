import { expect, it } from 'vitest';
import type {
  ControlAnswer,
  PlacedAnswer,
  StatusAnswer,
} from '../../../../functions/control/protocol.ts';
import { PlacedCommands } from '../../../../infra/local/console/session/placed-commands.ts';

const answer: PlacedAnswer = {
  command: 'replay',
  id: 'r1',
  listCount: 1,
  examples: ['projects/p/floorplans'],
};
const nameOf = (list: string): string => list.replace('projects/p/', 'Harbour · ');

function statusWith(...ids: string[]): StatusAnswer {
  return { commands: ids.map((id) => ({ id })) } as unknown as StatusAnswer;
}

it('tells once of a command that a later status no longer has', () => {
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

it('tells the number of lists where there are many, and nothing of what was not placed', () => {
  const placed = new PlacedCommands();
  placed.add({ ...answer, listCount: 7 }, nameOf);
  const { id: _, ...dryRun } = answer;
  placed.add(dryRun, nameOf);
  placed.add({ error: { message: 'No.' } }, nameOf);
  expect(placed.takeEnded(statusWith(), Date.now() + 1)).toEqual(['replay of 7 lists']);
});

it('does not tell a command that was taken back as done', () => {
  const placed = new PlacedCommands();
  placed.add(answer, nameOf);
  placed.add({ command: 'cancel', cancelled: { id: 'r1' } } as ControlAnswer, nameOf);
  expect(placed.takeEnded(statusWith(), Date.now() + 1)).toEqual([]);
});
