import type { PlacedCommand } from '../core/model/command.ts';
import type { StateStore } from '../core/ports/state-store.ts';
import { findNearest } from '../settings/find-nearest.ts';
import { RequestRefusedError } from './control-error.ts';
import type { CancelAnswer, CancelRequest, CommandStatus } from './protocol.ts';

/**
 * Takes a command back. A shard that is at work on it ends with its present step.
 *
 * @param commands those that are not carried out.
 * @param placed their parts.
 * @throws RequestRefusedError when there is no such command, or none is named and there are several.
 */
export async function cancelCommand(
  { id, dryRun }: CancelRequest,
  commands: readonly CommandStatus[],
  placed: readonly PlacedCommand[],
  store: Pick<StateStore, 'deleteCommands'>,
): Promise<CancelAnswer> {
  const cancelled = findCommand(id, commands);
  if (!dryRun) {
    await store.deleteCommands(placed.filter(({ command }) => command.id === cancelled.id));
  }
  return { command: 'cancel', cancelled };
}

function findCommand(id: string | undefined, commands: readonly CommandStatus[]): CommandStatus {
  const [only, ...others] = commands;
  const names = commands.map((each) => `${each.id} (${each.command})`).join(', ');
  if (only === undefined) {
    throw new RequestRefusedError('There is no command to cancel: all are carried out.', {
      hint: 'Nothing needs to be done.',
    });
  }
  if (id === undefined) {
    if (others.length === 0) return only;
    throw new RequestRefusedError(`There are ${commands.length} commands: ${names}.`, {
      hint: 'Name the id of the one to cancel.',
    });
  }
  const found = commands.find((each) => each.id === id);
  if (found !== undefined) return found;
  const nearest = findNearest(
    id,
    commands.map((each) => each.id),
  );
  throw new RequestRefusedError(`There is no command "${id}".`, {
    hint: nearest === undefined ? `There are ${names}.` : `Did you mean "${nearest}"?`,
  });
}
