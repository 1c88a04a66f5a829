import { buildCommand } from '@stricli/core';
import type { ListStatus, StatusAnswer } from '../../../functions/control/protocol.ts';
import { askControl } from '../control-function.ts';
import { findStack } from '../find-stack.ts';
import {
  flag,
  JSON_FLAG,
  readCount,
  readOptionalScope,
  SCOPE_FLAGS,
  STACK_FLAGS,
  STACK_USAGE,
  type ScopeFlags,
  type StackFlags,
} from '../flags.ts';
import { reporting } from '../report.ts';
import { painterFor, type CliContext } from '../terminal.ts';
import { formatStatus } from './format-status.ts';

/** How the command line writes the states. */
const STATES = {
  live: 'live',
  baseline: 'baseline',
  paused: 'paused',
  refused: 'refused',
  'project-deleted': 'project deleted',
  'not-polled': 'not polled',
} as const satisfies Record<string, ListStatus['state']>;

type StateFlag = keyof typeof STATES;

/** Compare two lists: what needs a look comes first. */
const ORDERS = {
  failures: (a: ListStatus, b: ListStatus) => (b.failures ?? 0) - (a.failures ?? 0) || byLag(a, b),
  lag: byLag,
  'last-change': (a: ListStatus, b: ListStatus) =>
    (b.lastChangeAt ?? '').localeCompare(a.lastChangeAt ?? ''),
  name: (a: ListStatus, b: ListStatus) => a.list.localeCompare(b.list),
} as const;

type Order = keyof typeof ORDERS;

/** The largest first. One that should be polled and never was comes before all, a parked one after all. */
function byLag(a: ListStatus, b: ListStatus): number {
  const [first, second] = [lagOf(a), lagOf(b)];
  return first === second ? 0 : second - first;
}

function lagOf({ lagSeconds, state }: ListStatus): number {
  return lagSeconds ?? (state === 'live' || state === 'baseline' ? Infinity : -1);
}

/** Which of the lists are shown, and how. */
export interface ListSelection {
  readonly state?: StateFlag | undefined;
  readonly failing?: boolean | undefined;
  readonly sort: Order;
}

interface StatusFlags extends StackFlags, Omit<ScopeFlags, 'all'>, ListSelection {
  readonly limit: number;
  readonly json?: boolean | undefined;
}

/** The lists that are selected, in their order; at equal ranks by name. */
export function selectLists(
  { lists }: Pick<StatusAnswer, 'lists'>,
  { state, failing, sort }: ListSelection,
): ListStatus[] {
  return lists
    .filter((list) => state === undefined || list.state === STATES[state])
    .filter(({ failures = 0 }) => failing !== true || failures > 0)
    .sort((a, b) => ORDERS[sort](a, b) || ORDERS.name(a, b));
}

/** `sitecast status`. */
export const statusCommand = buildCommand<StatusFlags, [], CliContext>({
  docs: {
    brief: 'Show where every list stands',
    fullDescription: `Show where every list stands: totals first, then the lists, those that fail before the others.

EXAMPLES
  sitecast status --stage prod
  sitecast status --local --failing
  sitecast status --stack BuildingSite --project 876c7fcc-4f08-4090-945e-d20f16c243ec
  sitecast status --stage prod --list projects
  sitecast status --stage prod --state paused --json`,
    customUsage: [`${STACK_USAGE} [flags]`],
  },
  parameters: {
    flags: {
      ...STACK_FLAGS,
      ...SCOPE_FLAGS,
      state: {
        kind: 'enum',
        values: Object.keys(STATES) as StateFlag[],
        brief: 'Only lists in this state',
        optional: true,
      },
      failing: flag('Only lists whose last polls failed'),
      sort: {
        kind: 'enum',
        values: Object.keys(ORDERS) as Order[],
        brief: 'What comes first: most failures, largest lag, latest change, or by name',
        default: 'failures',
      },
      limit: {
        kind: 'parsed',
        parse: readCount,
        placeholder: 'n',
        brief: 'Lists to show, 0 for all; with --json all are there',
        default: '20',
      },
      json: JSON_FLAG,
    },
  },
  async func(flags) {
    await reporting(this, flags.json, async () => {
      const scope = readOptionalScope(flags);
      const stack = await findStack(flags);
      const hasScope = Object.keys(scope).length > 0;
      const answer = await askControl(stack, { command: 'status', ...(hasScope && { scope }) });
      const lists = selectLists(answer, flags);
      const { name } = stack;
      const { limit } = flags;
      const paint = painterFor(this.process.stdout);
      const isOne = flags.list !== undefined;
      const layout = { name, paint, isOne, limit: limit === 0 ? Infinity : limit, now: Date.now() };
      return {
        document: { ...answer, lists },
        text: formatStatus({ ...answer, lists }, layout),
      };
    });
  },
});
