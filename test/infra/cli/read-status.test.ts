import { expect, it } from 'vitest';
import type {
  ListStatus,
  StatusAnswer,
  StatusRequest,
} from '../../../functions/control/protocol.ts';
import { selectLists } from '../../../functions/control/select-lists.ts';
import { readStatus } from '../../../infra/cli/commands/status.ts';

const LISTS = Array.from({ length: 7 }, (_, n): ListStatus => {
  return { list: `list ${n}`, state: 'live', lagSeconds: (n * 3) % 7 };
});

/** A control function whose answers have room for three lists. */
function askIn(requests: StatusRequest[]) {
  return (request: StatusRequest): Promise<StatusAnswer> => {
    requests.push(request);
    const lists = selectLists(LISTS, request);
    const told = lists.slice(0, Math.min(3, request.limit ?? 3));
    return Promise.resolve({ matchCount: lists.length, lists: told } as unknown as StatusAnswer);
  };
}

it('all lists are told, in their order, however many answers that takes', async () => {
  const requests: StatusRequest[] = [];
  const request = { command: 'status', sort: 'lag' } as const;
  const { lists, matchCount } = await readStatus(askIn(requests), request, Infinity);
  expect(lists.map(({ lagSeconds }) => lagSeconds)).toEqual([6, 5, 4, 3, 2, 1, 0]);
  expect([matchCount, requests.length]).toEqual([7, 3]);
});

it('few lists are one request', async () => {
  const requests: StatusRequest[] = [];
  const { lists } = await readStatus(askIn(requests), { command: 'status', sort: 'lag' }, 2);
  expect(lists.map(({ lagSeconds }) => lagSeconds)).toEqual([6, 5]);
  expect(requests).toEqual([{ command: 'status', sort: 'lag', limit: 2 }]);
});
