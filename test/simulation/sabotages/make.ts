import type { Change, Edit } from '../apply-edit.ts';
import type { Sabotage } from '../sabotage.ts';

/** The promises that many faults break. */
export const LATEST = 'everyEntitysLatestStateWasPublished';
export const LEAK = 'nothingOfTheBaselineLeaks';
export const DELAYED = 'anOutageOfTheServiceDelaysNoListLongerThanItself';
export const SILENT = 'nothingElseIsLearnedInSilence';

/** @param anchor a file below `functions/core`, and a function in it. */
export function inside(anchor: string, change: Change): Edit {
  const [file = '', name = ''] = anchor.split(' ');
  return { file, in: name, ...change };
}

export function sabotage(
  name: string,
  expected: Pick<Sabotage, 'breaks'>,
  ...edits: readonly Edit[]
): Sabotage {
  return { name, ...expected, edits };
}
