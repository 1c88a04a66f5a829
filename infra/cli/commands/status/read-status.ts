import type { StatusAnswer, StatusRequest } from '../../../../functions/control/protocol.ts';
import { sortLists } from '../../../../functions/control/select-lists.ts';

/** Lists of which an answer surely has room. */
const SURE_COUNT = 5000;

/**
 * Asks for the status. More lists than one answer has room for are asked for page by page, by name: then no
 * list is missed whose rank changes meanwhile.
 *
 * @param ask asks the control function.
 * @param limit the most lists to tell; `Infinity` for all.
 */
export async function readStatus(
  ask: (request: StatusRequest) => Promise<StatusAnswer>,
  request: StatusRequest,
  limit: number,
): Promise<StatusAnswer> {
  if (limit <= SURE_COUNT) return ask({ ...request, limit });
  const { sort = 'name', ...byName } = request;
  const first = await ask(byName);
  const lists = [...first.lists];
  let left = first.matchCount - first.lists.length;
  while (left > 0) {
    const page = await ask({ ...byName, after: lists.at(-1)?.list ?? '' });
    lists.push(...page.lists);
    left = page.matchCount - page.lists.length;
  }
  return { ...first, matchCount: lists.length, lists: sortLists(lists, sort).slice(0, limit) };
}
