import { isLong, type PlacedCommand } from '../core/model/command.ts';
import type { Feed } from '../core/model/feed.ts';
import { isAfter } from '../core/model/timestamp.ts';
import { RequestRefusedError } from './control-error.ts';
import type { ChangeRequest } from './protocol.ts';

/**
 * Refuses a long command that would be in vain.
 *
 * @throws RequestRefusedError while another one of its kind goes on, and when it asks for events of a time of
 *   which nothing is known.
 */
export function refuseLongCommand(
  request: ChangeRequest,
  placed: readonly PlacedCommand[],
  feeds: readonly Feed[],
): void {
  const same = placed.find(
    ({ command }) => isLong(command) && command.name === request.command,
  )?.command;
  if (same !== undefined) {
    throw new RequestRefusedError(`The command ${same.name} ${same.id} still goes on.`, {
      hint: 'Wait until it is done, or cancel it. The status shows how far it is.',
    });
  }
  if (request.command !== 'replay') return;
  const { baselineAt } = feeds.find(({ projectId }) => projectId === undefined) ?? {};
  if (baselineAt === undefined || !isAfter(baselineAt, request.since)) return;
  throw new RequestRefusedError(
    `Nothing was told before ${baselineAt}: the first run only learned what there was.`,
    { hint: `Name a time since ${baselineAt} or later.` },
  );
}
