import type { StatusRequest } from '../../../functions/control/protocol.ts';
import { askControl } from '../control-function.ts';
import { readOptionalScope, SCOPE_FLAGS, wholeNumber, type ScopeFlags } from '../flags.ts';
import { buildOperation, type OperationFlags } from '../operation.ts';
import { formatStatus } from './format-status.ts';

const STATES = ['live', 'baseline', 'waiting', 'paused', 'parked', 'not-polled'] as const;

interface StatusFlags extends OperationFlags, Omit<ScopeFlags, 'all'> {
  readonly state?: (typeof STATES)[number] | undefined;
  readonly limit?: number | undefined;
}

/** Lists that people are shown unless they say otherwise. */
const DEFAULT_LIMIT = 20;

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
    limit: {
      ...wholeNumber(
        0,
        1e9,
        'Lists to show, 0 for as many as an answer holds; default 20, with --json 0',
      ),
      optional: true,
    },
  },
  request: ({ state, ...flags }) => {
    const { json, limit = json === true ? 0 : DEFAULT_LIMIT } = flags;
    const scope = readOptionalScope(flags);
    return {
      command: 'status',
      ...(limit > 0 && { limit }),
      ...(Object.keys(scope).length > 0 && { scope }),
      ...(state !== undefined && { state }),
    };
  },
  report: async ({ stack, request, flags, view }) => {
    const answer = await askControl(stack, request);
    return { document: answer, text: formatStatus(answer, view, flags.list !== undefined) };
  },
});
