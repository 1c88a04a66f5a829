import type { ChangedAnswer, ChangeRequest, Scope } from '../../../functions/control/protocol.ts';
import { askControl } from '../control-function.ts';
import type { Stack } from '../find-stack.ts';
import {
  ALL_FLAG,
  DRY_RUN_FLAG,
  pastTime,
  readScope,
  SCOPE_FLAGS,
  SCOPE_USAGE,
  type ScopeFlags,
} from '../flags.ts';
import { buildOperation, type OperationFlags } from '../operation.ts';
import { formatProgress, ProgressLine, type CliContext } from '../terminal.ts';
import { formatChanged } from './format-changed.ts';

/** Flags of a command that changes lists. */
export interface ChangeFlags extends OperationFlags, ScopeFlags {
  readonly dryRun?: boolean | undefined;
}

interface RewindFlags extends ChangeFlags {
  readonly to?: string | undefined;
}

/** The flags of {@link ChangeFlags} that only such a command has. */
export const CHANGE_FLAGS = { ...SCOPE_FLAGS, all: ALL_FLAG, dryRun: DRY_RUN_FLAG } as const;

/** A list for examples. */
export const LIST = '--list projects/876c7fcc-4f08-4090-945e-d20f16c243ec/floorplans';
/** A project for examples. */
export const PROJECT = '--project 876c7fcc-4f08-4090-945e-d20f16c243ec';

/** `sitecast pause`. */
export const pauseCommand = changeCommand({
  path: 'pause',
  brief: 'Stop polling lists; they keep their cursors',
  examples: [`--stage prod ${LIST}`, `--stage prod ${PROJECT}`, '--local --resource floorplans'],
  makeRequest: (scope) => ({ command: 'pause', scope }),
});

/** `sitecast resume`. */
export const resumeCommand = changeCommand({
  path: 'resume',
  brief: 'Poll paused lists again, from their cursors',
  examples: ['--stage prod --all --dry-run', '--stage prod --all'],
  makeRequest: (scope) => ({ command: 'resume', scope }),
});

/** `sitecast retry`. */
export const retryCommand = changeCommand({
  path: 'retry',
  brief: 'Poll lists that wait now',
  examples: ['--stage prod --all', `--stage prod ${LIST}`],
  makeRequest: (scope) => ({ command: 'retry', scope }),
});

/** `sitecast cancel`. */
export const cancelCommand = changeCommand({
  path: 'cancel',
  brief: 'End jobs of lists; what they have done stays',
  examples: ['--stage prod --all', `--stage prod ${LIST}`],
  makeRequest: (scope) => ({ command: 'cancel', scope }),
});

/** `sitecast rewind`. */
export const rewindCommand = changeCommand({
  path: 'rewind',
  brief: 'Read lists again from a time on; what is known raises no event',
  usage: ' --to <time>',
  examples: [`--stage prod ${PROJECT} --to 2026-11-22T09:00:00Z`, '--stage prod --all --to 3d'],
  flags: { to: pastTime('A time with its zone, a day, or an age: 90min, 2h, 3d') },
  makeRequest: (scope, { to = '' }) => ({ command: 'rewind', scope, to }),
});

/** A command that changes lists at once. */
function changeCommand(command: {
  readonly path: string;
  readonly brief: string;
  readonly usage?: string;
  readonly examples: readonly string[];
  readonly flags?: object;
  readonly makeRequest: (scope: Scope, flags: RewindFlags) => ChangeRequest;
}) {
  const { usage = '', makeRequest, ...docs } = command;
  return buildOperation<RewindFlags, [], ChangeRequest>({
    ...docs,
    usage: `${SCOPE_USAGE}${usage} [flags]`,
    flags: { ...CHANGE_FLAGS, ...command.flags },
    request: (flags) => makeRequest(readScope(flags), flags),
    report: async ({ stack, request, flags, process }) => {
      const answer = await changeLists(request, stack, process, flags.dryRun === true);
      return { document: answer, text: formatChanged(answer) };
    },
  });
}

/**
 * Asks until all lists are changed: some at a time if there are many.
 *
 * @returns the first answer, with the count of all.
 */
export async function changeLists(
  request: ChangeRequest,
  stack: Stack,
  { stderr }: CliContext['process'],
  isDry: boolean,
): Promise<ChangedAnswer> {
  if (isDry) return askControl(stack, { ...request, dryRun: true });
  const line = new ProgressLine(stderr);
  try {
    const { next, ...first } = await askControl(stack, request);
    const id = first.id === undefined ? {} : { id: first.id };
    let { changedCount = 0 } = first;
    let after = next;
    while (after !== undefined) {
      const left = first.listCount - changedCount;
      line.show(`${first.command} ${formatProgress(first.listCount, left)}`);
      const answer = await askControl(stack, { ...request, ...id, after });
      changedCount += answer.changedCount ?? 0;
      after = answer.next;
    }
    return { ...first, changedCount };
  } finally {
    line.end();
  }
}
