import type { StateStore } from '../core/ports/state-store.ts';
import { RequestRefusedError } from './control-error.ts';
import type { CancelAnswer, CancelRequest, CommandStatus } from './protocol.ts';
import type { Account } from './report-status.ts';

/**
 * Takes a command back. A shard that is at work on it ends with its present step.
 *
 * @param commands those that are not carried out.
 * @throws RequestRefusedError when there is no such command, or none is named and there are several.
 */
export async function cancelCommand(
  { id, dryRun }: CancelRequest,
  commands: readonly CommandStatus[],
  { commands: placed }: Pick<Account, 'commands'>,
  store: Pick<StateStore, 'deleteCommands'>,
): Promise<CancelAnswer> {
  const cancelled = findCommand(id, commands);
  const parts = placed.filter(({ command }) => command.id === cancelled.id);
  if (!dryRun) await store.deleteCommands(parts);
  return { command: 'cancel', cancelled };
}

function findCommand(id: string | undefined, commands: readonly CommandStatus[]): CommandStatus {
  const [only, ...others] = commands;
  const names = commands.map((each) => `${each.id} (${each.command})`).join(', ');
  if (only === undefined) {
    throw new RequestRefusedError(
      id === undefined
        ? 'There is no command to cancel: all are carried out or cancelled.'
        : `No command "${id}" waits: it is carried out or cancelled, or there never was one.`,
      {
        hint: 'sitecast status shows where the lists stand. What was carried out stays.',
      },
    );
  }
  if (id === undefined) {
    if (others.length === 0) return only;
    throw new RequestRefusedError(`There are ${commands.length} commands: ${names}.`, {
      hint: 'Name the id of the one to cancel.',
    });
  }
  const found = commands.find((each) => each.id === id);
  if (found !== undefined) return found;
  throw new RequestRefusedError(`There is no command "${id}".`, {
    hint: `There ${others.length === 0 ? 'is' : 'are'} ${names}.`,
  });
}
