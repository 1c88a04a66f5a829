import { buildRouteMap } from '@stricli/core';
import type {
  QuarantineChangeAnswer,
  QuarantineListAnswer,
  QuarantineRequest,
  Scope,
} from '../../../functions/control/protocol.ts';
import { UsageError } from '../cli-error.ts';
import {
  commandLine,
  DRY_RUN_FLAG,
  flag,
  readOptionalScope,
  SCOPE_FLAGS,
  type ScopeFlags,
} from '../flags.ts';
import { clip, countOf, formatAge, formatFields, formatTable } from '../format.ts';
import { answering, buildOperation, type OperationFlags, type View } from '../operation.ts';
import type { CliContext } from '../terminal.ts';
import type { ChangeFlags } from './change.ts';

type ListFlags = OperationFlags & Omit<ScopeFlags, 'all'>;

type RequestOf<Command> = Extract<QuarantineRequest, { readonly command: Command }>;

const ID_LENGTH = 8;
const REASON_LENGTH = 80;
const NEXT_RUN = 'The next run tries it; what is still refused comes back to the quarantine.';

const ID = { brief: 'Ids of items, or their first 4 digits', placeholder: 'id', parse: readId };

const listCommand = buildOperation<ListFlags, [], RequestOf<'quarantine-list'>>({
  path: 'quarantine list',
  brief: 'List the quarantine',
  details: 'invalid entities, and events that the topic refuses',
  examples: ['--stage prod', '--stage prod --resource floorplans --json'],
  flags: SCOPE_FLAGS,
  request: (flags) => ({ command: 'quarantine-list', ...scopeIn(flags) }),
  report: answering(formatItems),
});

const showCommand = buildOperation<OperationFlags, [string], RequestOf<'quarantine-show'>>({
  path: 'quarantine show',
  brief: 'Show one item whole',
  details: 'with the entity or event',
  usage: '<id> [flags]',
  examples: ['--stage prod 3f9a12c4'],
  positional: { kind: 'tuple', parameters: [ID] },
  request: (_, id) => ({ command: 'quarantine-show', id }),
  report: answering(({ item: { value, ...fields } }) =>
    [...formatFields(fields), JSON.stringify(value, undefined, 2)].join('\n'),
  ),
});

const retryCommand = changeCommand(
  'retry',
  'Try items again',
  'lists are read from before their entities, events are published again',
);

const dropCommand = changeCommand(
  'drop',
  'Delete items from the quarantine',
  'nobody tries them again',
);

export const quarantineRoutes = buildRouteMap<string, CliContext>({
  routes: { list: listCommand, show: showCommand, retry: retryCommand, drop: dropCommand },
  docs: { brief: 'Show, retry or drop quarantined entities and events' },
});

function changeCommand(verb: 'retry' | 'drop', brief: string, details: string) {
  return buildOperation<ChangeFlags, string[], RequestOf<'quarantine-retry' | 'quarantine-drop'>>({
    ...{ path: `quarantine ${verb}`, brief, details },
    usage: '(<id>... | --all) [flags]',
    examples: ['--stage prod 3f9a12c4', '--stage prod --all --list projects --dry-run'],
    flags: {
      ...SCOPE_FLAGS,
      all: flag('All items; with --list, --project or --resource those of these lists'),
      dryRun: DRY_RUN_FLAG,
    },
    positional: { kind: 'array', parameter: ID },
    request: ({ dryRun, ...flags }, ...ids) => {
      const command = `quarantine-${verb}` as const;
      return { command, ...itemsIn(flags, ids), ...(dryRun && { dryRun }) };
    },
    report: answering((answer, _, { dryRun }) => formatChange(answer, dryRun === true)),
  });
}

/** @throws UsageError unless either ids or --all are given. */
function itemsIn({ all = false, ...flags }: ChangeFlags, ids: readonly string[]) {
  if (ids.length > 0 === all) {
    const hint = `${commandLine('quarantine list', flags)} shows them.`;
    throw new UsageError('The command needs either ids of items, or --all.', hint);
  }
  return all ? { all, ...scopeIn(flags) } : { ids };
}

function scopeIn(flags: ScopeFlags): { readonly scope?: Scope } {
  const scope = readOptionalScope(flags);
  return Object.keys(scope).length > 0 ? { scope } : {};
}

function readId(input: string): string {
  if (/^[0-9a-f]{4,32}$/.test(input)) return input;
  throw new Error('allowed: an id of an item, or at least its first 4 digits');
}

function formatItems({ items, matchCount }: QuarantineListAnswer, { paint, now }: View): string {
  if (items.length === 0) return 'The quarantine holds no matching items.';
  const rows = items.map(({ id, at, kind, list, reason }) => ({
    ID: id.slice(0, ID_LENGTH),
    AGE: formatAge(at, now),
    KIND: kind,
    LIST: list,
    REASON: clip(reason.replaceAll(/\s+/g, ' '), REASON_LENGTH),
  }));
  const more = matchCount - items.length;
  return [...formatTable(rows, paint), ...(more > 0 ? [`… and ${more} more`] : [])].join('\n');
}

function formatChange(answer: QuarantineChangeAnswer, isDry: boolean): string {
  const { command, matchCount, items, skipped } = answer;
  const isRetry = command === 'quarantine-retry';
  const verb = isRetry ? 'to be tried again' : 'dropped';
  const ids = items.map(({ id }) => id.slice(0, ID_LENGTH)).join(', ');
  const done = `${countOf(matchCount, 'item')} ${verb}${ids === '' ? '' : `: ${ids}`}`;
  return [
    isDry ? `Would be done: ${done}. Nothing was changed.` : `${done}.`,
    ...(isRetry && !isDry && items.length > 0 ? [NEXT_RUN] : []),
    ...skipped.map(
      ({ item, reason }) => `${item.id.slice(0, ID_LENGTH)} stays in the quarantine: ${reason}.`,
    ),
  ].join('\n');
}
