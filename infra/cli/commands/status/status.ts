import { buildCommand } from '@stricli/core';
import type { ListOrder, StatusRequest } from '../../../../functions/control/protocol.ts';
import { askControl } from '../../control-function.ts';
import { findStack } from '../../find-stack.ts';
import {
  JSON_FLAG,
  readCount,
  readOptionalScope,
  SCOPE_FLAGS,
  STACK_FLAGS,
  STACK_USAGE,
  type ScopeFlags,
  type StackFlags,
} from '../../flags.ts';
import { reporting } from '../../report.ts';
import { painterFor, widthOf, type CliContext } from '../../terminal.ts';
import { formatStatus } from './format-status.ts';
import { readStatus } from './read-status.ts';
import { STATES, withStateWords, type StateWord } from './state-words.ts';

const ORDERS = ['failures', 'lag', 'last-change', 'name'] as const satisfies readonly ListOrder[];

interface StatusFlags extends StackFlags, Omit<ScopeFlags, 'all'> {
  readonly state?: StateWord | undefined;
  readonly sort: ListOrder;
  readonly limit?: number | undefined;
  readonly json?: boolean | undefined;
}

/** Lists that people are shown unless they say otherwise. */
const DEFAULT_LIMIT = 20;

/** `sitecast status`. */
export const statusCommand = buildCommand<StatusFlags, [], CliContext>({
  docs: {
    brief: 'Show where every list stands',
    fullDescription: `Show where every list stands: totals first, then the lists, those that wait before the others.

EXAMPLES
  sitecast status --stage prod
  sitecast status --local --state waiting
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
        values: Object.keys(STATES) as StateWord[],
        brief: 'Only lists in this state',
        optional: true,
      },
      sort: {
        kind: 'enum',
        values: ORDERS,
        brief: 'What comes first: most failures, largest lag, latest change, or by name',
        default: 'failures',
      },
      limit: {
        kind: 'parsed',
        parse: readCount,
        placeholder: 'n',
        brief: 'Lists to show, 0 for all; default 20, with --json all',
        optional: true,
      },
      json: JSON_FLAG,
    },
  },
  async func(flags) {
    await reporting(this, flags.json, async () => {
      const { state, sort, limit = flags.json === true ? 0 : DEFAULT_LIMIT } = flags;
      const scope = readOptionalScope(flags);
      const stack = await findStack(flags);
      const request: StatusRequest = {
        command: 'status',
        sort,
        ...(Object.keys(scope).length > 0 && { scope }),
        ...(state !== undefined && { state: STATES[state] }),
      };
      const answer = await readStatus(
        (each) => askControl(stack, each),
        request,
        limit === 0 ? Infinity : limit,
      );
      const { name } = stack;
      const paint = painterFor(this.process.stdout);
      const isOne = flags.list !== undefined;
      const width = widthOf(this.process);
      const layout = { name, paint, isOne, now: Date.now(), width };
      return { document: withStateWords(answer), text: formatStatus(answer, layout) };
    });
  },
});
