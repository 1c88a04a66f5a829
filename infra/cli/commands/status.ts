import type {
  ListOrder,
  ListState,
  StatusAnswer,
  StatusRequest,
} from '../../../functions/control/protocol.ts';
import { sortLists } from '../../../functions/control/select-lists.ts';
import { askControl } from '../control-function.ts';
import { readOptionalScope, SCOPE_FLAGS, wholeNumber, type ScopeFlags } from '../flags.ts';
import { buildOperation, type OperationFlags } from '../operation.ts';
import { formatStatus } from './format-status.ts';

const ORDERS = ['failures', 'lag', 'last-change', 'name'] as const satisfies readonly ListOrder[];
const STATES = ['live', 'baseline', 'waiting', 'paused', 'parked', 'not-polled'] as const;

interface StatusFlags extends OperationFlags, Omit<ScopeFlags, 'all'> {
  readonly state?: (typeof STATES)[number] | undefined;
  readonly sort: ListOrder;
  readonly limit?: number | undefined;
}

/** Lists that people are shown unless they say otherwise. */
const DEFAULT_LIMIT = 20;
/** Lists of which an answer surely has room. */
const SURE_COUNT = 5000;

/** `sitecast status`. */
export const statusCommand = buildOperation<StatusFlags, [], StatusRequest>({
  path: 'status',
  brief: 'Show where every list stands',
  details: 'totals first, then the lists, those that wait before the others',
  examples: [
    '--stage prod',
    '--local --state waiting',
    '--stack BuildingSite --project 876c7fcc-4f08-4090-945e-d20f16c243ec',
    '--stage prod --list projects',
    '--stage prod --state paused --json',
  ],
  flags: {
    ...SCOPE_FLAGS,
    state: { kind: 'enum', values: STATES, brief: 'Only lists in this state', optional: true },
    sort: {
      ...{ kind: 'enum', values: ORDERS, default: 'failures' },
      brief: 'What comes first: most failures, largest lag, latest change, or by name',
    },
    limit: {
      ...wholeNumber(0, 1e9, 'Lists to show, 0 for all; default 20, with --json all'),
      optional: true,
    },
  },
  request: ({ state, sort, ...flags }) => {
    const scope = readOptionalScope(flags);
    return {
      ...{ command: 'status', sort },
      ...(Object.keys(scope).length > 0 && { scope }),
      ...(state !== undefined && { state: state.replace('-', ' ') as ListState }),
    };
  },
  report: async ({ stack, request, flags, view }) => {
    const { json, list, limit = json === true ? 0 : DEFAULT_LIMIT } = flags;
    const ask = (each: StatusRequest) => askControl(stack, each);
    const answer = await readStatus(ask, request, limit === 0 ? Infinity : limit);
    return { document: answer, text: formatStatus(answer, view, list !== undefined) };
  },
});

/**
 * Asks for the status. More lists than one answer has room for are asked for page by page, by name:
 * then no list is missed whose rank changes meanwhile.
 *
 * @param limit the maximum of lists; `Infinity` for all.
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
