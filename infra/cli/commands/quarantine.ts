import { buildCommand, buildRouteMap } from '@stricli/core';
import type { QuarantineChangeAnswer } from '../../../functions/control/protocol.ts';
import { UsageError } from '../cli-error.ts';
import { askControl } from '../control-function.ts';
import { findStack } from '../find-stack.ts';
import {
  ALL_FLAG,
  DRY_RUN_FLAG,
  JSON_FLAG,
  readCount,
  readOptionalScope,
  SCOPE_FLAGS,
  STACK_FLAGS,
  STACK_USAGE,
  type Scope,
  type ScopeFlags,
  type StackFlags,
} from '../flags.ts';
import { reporting } from '../report.ts';
import { painterFor, type CliContext } from '../terminal.ts';
import { formatChange, formatItem, formatItems } from './format-quarantine.ts';

interface ListFlags extends StackFlags, Omit<ScopeFlags, 'all'> {
  readonly limit: number;
  readonly json?: boolean | undefined;
}

interface ShowFlags extends StackFlags {
  readonly json?: boolean | undefined;
}

interface ChangeFlags extends StackFlags, ScopeFlags {
  readonly dryRun?: boolean | undefined;
  readonly json?: boolean | undefined;
}

const CHANGE_FLAGS = {
  ...STACK_FLAGS,
  ...SCOPE_FLAGS,
  all: {
    ...ALL_FLAG,
    brief: 'All items; with --list, --project or --resource those of these lists',
  },
  dryRun: DRY_RUN_FLAG,
  json: JSON_FLAG,
} as const;

const IDS = {
  kind: 'array',
  parameter: { brief: 'Ids of items; the first 4 digits do', placeholder: 'id', parse: readId },
} as const;

const listCommand = buildCommand<ListFlags, [], CliContext>({
  docs: describe(
    'list',
    'List what is in the quarantine',
    'invalid entities, and events that the topic refuses',
    '[flags]',
    ['--stage prod', '--stage prod --resource floorplans --json'],
  ),
  parameters: {
    flags: {
      ...STACK_FLAGS,
      ...SCOPE_FLAGS,
      limit: {
        kind: 'parsed',
        parse: readCount,
        placeholder: 'n',
        brief: 'Items to show, 0 for all; with --json all are there',
        default: '20',
      },
      json: JSON_FLAG,
    },
  },
  async func(flags) {
    await reporting(this, flags.json, async () => {
      const scope = scopeIn(flags);
      const stack = await findStack(flags);
      const answer = await askControl(stack, { command: 'quarantine-list', ...scope });
      const paint = painterFor(this.process.stdout);
      const limit = flags.limit === 0 ? Infinity : flags.limit;
      const isScoped = Object.keys(scope).length > 0;
      const layout = { paint, limit, now: Date.now(), isScoped };
      return { document: answer, text: formatItems(answer, layout) };
    });
  },
});

const showCommand = buildCommand<ShowFlags, [string], CliContext>({
  docs: describe('show', 'Show one item whole', 'with the entity or event', '<id> [flags]', [
    '--stage prod 3f9a12c4',
  ]),
  parameters: {
    flags: { ...STACK_FLAGS, json: JSON_FLAG },
    positional: { kind: 'tuple', parameters: [IDS.parameter] },
  },
  async func(flags, id) {
    await reporting(this, flags.json, async () => {
      const stack = await findStack(flags);
      const answer = await askControl(stack, { command: 'quarantine-show', id });
      return { document: answer, text: formatItem(answer) };
    });
  },
});

const retryCommand = buildCommand<ChangeFlags, string[], CliContext>({
  docs: describe(
    'retry',
    'Try items again',
    'lists are read again from where their entities were, events are replayed; what still fails comes back',
    '(<id>... | --all) [flags]',
    ['--stage prod 3f9a12c4', '--stage prod --all --dry-run'],
  ),
  parameters: { flags: CHANGE_FLAGS, positional: IDS },
  async func(flags, ...ids) {
    await change(this, 'quarantine-retry', flags, ids);
  },
});

const dropCommand = buildCommand<ChangeFlags, string[], CliContext>({
  docs: describe(
    'drop',
    'Delete items from the quarantine',
    'nobody tries them again',
    '(<id>... | --all) [flags]',
    ['--stage prod 3f9a12c4 77ab01fe', '--stage prod --all --list projects'],
  ),
  parameters: { flags: CHANGE_FLAGS, positional: IDS },
  async func(flags, ...ids) {
    await change(this, 'quarantine-drop', flags, ids);
  },
});

/** `sitecast quarantine`. */
export const quarantineRoutes = buildRouteMap<string, CliContext>({
  routes: { list: listCommand, show: showCommand, retry: retryCommand, drop: dropCommand },
  docs: { brief: 'See what is in the quarantine, try it again, or drop it' },
});

async function change(
  context: CliContext,
  command: QuarantineChangeAnswer['command'],
  flags: ChangeFlags,
  ids: readonly string[],
): Promise<void> {
  await reporting(context, flags.json, async () => {
    const items = itemsIn(flags, ids);
    const stack = await findStack(flags);
    const dryRun = flags.dryRun === true;
    const answer = await askControl(stack, { command, ...items, ...(dryRun && { dryRun }) });
    return { document: answer, text: formatChange(answer, dryRun) };
  });
}

/** @throws UsageError unless either ids or --all are given. */
function itemsIn(flags: ChangeFlags, ids: readonly string[]) {
  const { all, ...scopeFlags } = flags;
  const scope = scopeIn(scopeFlags);
  if (ids.length > 0 && (all === true || scope.scope !== undefined)) {
    throw new UsageError('Ids contradict --all and the lists.', 'Keep one of them.');
  }
  if (ids.length > 0) return { ids };
  if (all === true) return { all, ...scope };
  throw new UsageError(
    'The command needs to know which items: none was given.',
    'Name ids of items, or add --all. sitecast quarantine list shows them.',
  );
}

function scopeIn(flags: ScopeFlags): { readonly scope?: Scope } {
  const scope = readOptionalScope(flags);
  return Object.keys(scope).length > 0 ? { scope } : {};
}

function readId(input: string): string {
  if (/^[0-9a-f]{4,32}$/.test(input)) return input;
  throw new Error('allowed: an id of an item, or at least its first 4 digits');
}

function describe(
  name: string,
  brief: string,
  more: string,
  usage: string,
  examples: readonly string[],
) {
  const lines = examples.map((example) => `  sitecast quarantine ${name} ${example}`);
  return {
    brief,
    fullDescription: [`${brief}: ${more}.`, '', 'EXAMPLES', ...lines].join('\n'),
    customUsage: [`${STACK_USAGE} ${usage}`],
  };
}
