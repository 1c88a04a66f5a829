import { isLong, type Command, type PlacedCommand } from '../../core/model/command.ts';
import { isProjectsFeed, type Feed } from '../../core/model/feed.ts';
import { isAfter } from '../../core/model/timestamp.ts';
import { RequestRefusedError } from '../control-error.ts';
import type { OrderRequest } from '../protocol.ts';

/**
 * Refuses a long command that would be in vain.
 *
 * @throws RequestRefusedError while another one of its kind goes on, and when it asks for events of a time of
 *   which nothing is known.
 */
export function refuseLongCommand(
  request: OrderRequest,
  placed: readonly PlacedCommand[],
  feeds: readonly Feed[],
): void {
  const same = findSame(request, placed);
  if (same !== undefined) {
    throw new RequestRefusedError(`The command ${same.name} ${same.id} still goes on.`, {
      hint: 'Wait until it is done, or cancel it. The status shows how far it is.',
    });
  }
  if (request.command !== 'replay') return;
  const { baselineAt } = feeds.find(isProjectsFeed) ?? {};
  if (baselineAt === undefined || !isAfter(baselineAt, request.since)) return;
  throw new RequestRefusedError(
    `Nothing was told before ${baselineAt}: the first run only learned what there was.`,
    { hint: `Name ${baselineAt} or a later time.` },
  );
}

/**
 * Refuses a long command that was placed together with another one of its kind: neither had seen the other. So each of
 * them looks again after it was placed, and goes if it is not alone. Of two, both may be refused, but never none.
 *
 * @param placed what the table has after the command was placed.
 * @param id of the command.
 * @throws RequestRefusedError when it is not the only one: take it back.
 */
export function refuseSecondCommand(
  request: OrderRequest,
  placed: readonly PlacedCommand[],
  id: string,
): void {
  const same = findSame(
    request,
    placed.filter(({ command }) => command.id !== id),
  );
  if (same === undefined) return;
  throw new RequestRefusedError(
    `The command ${same.name} ${same.id} was placed at the same moment.`,
    { hint: 'Look at the status: if that one does not go on, ask again.' },
  );
}

function findSame(request: OrderRequest, placed: readonly PlacedCommand[]): Command | undefined {
  return placed.find(({ command }) => isLong(command) && command.name === request.command)?.command;
}
