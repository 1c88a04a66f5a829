import { createHash } from 'node:crypto';
import type { Feed } from '../../core/model/feed.ts';
import type { Catalog } from '../../core/model/resource-catalog.ts';
import { isoTime } from '../../core/model/timestamp.ts';
import type { FeedWriteStore } from '../change-feeds.ts';
import { RequestRefusedError } from '../control-error.ts';
import type { KeptItem, QuarantineOperations } from '../ports.ts';
import type {
  QuarantineAnswer,
  QuarantineChangeAnswer,
  QuarantineItem,
  QuarantineRequest,
  QuarantineShowAnswer,
} from '../protocol.ts';
import { pickItems } from './pick-items.ts';
import { planRetry } from './plan-retry.ts';
import { retryList } from './retry-list.ts';

/** Characters of a reason in a list. */
const MAX_REASON_LENGTH = 200;
/** Items in an answer. Lambda answers with at most 6 MB. */
const MAX_ITEMS = 5_000;
/** Bytes of a value in an answer. */
const MAX_VALUE_BYTES = 5_000_000;

export interface QuarantineContext {
  readonly quarantine: QuarantineOperations;
  readonly store: FeedWriteStore;
  readonly catalog: Catalog;
  /** All feeds of the account. */
  readonly feeds: readonly Feed[];
  /** Those in the scope of the request; all lists that ever were if it has none. */
  readonly inScope: readonly Feed[] | undefined;
  /** Makes the id of jobs. */
  readonly nextId: () => string;
}

type ChangeRequest = Extract<QuarantineRequest, { readonly dryRun?: boolean }>;

/** An item with its id. */
export interface NamedItem extends KeptItem {
  readonly id: string;
}

/** Answers what is asked about the quarantine. */
export async function answerQuarantine(
  request: QuarantineRequest,
  context: QuarantineContext,
): Promise<QuarantineAnswer> {
  const all = (await context.quarantine.list())
    .map((item) => ({ ...item, id: idOf(item) }))
    .sort((a, b) => a.quarantinedAt - b.quarantinedAt);
  switch (request.command) {
    case 'quarantine-list': {
      const { command } = request;
      return { command, ...someItems(itemsInScope(all, context.inScope)) };
    }
    case 'quarantine-show':
      return show(pickItems([request.id], all), context.quarantine);
    default: {
      const { ids } = request;
      const items = ids ? pickItems(ids, all) : itemsInScope(all, context.inScope);
      return change(request, items, context);
    }
  }
}

function idOf({ subject }: KeptItem): string {
  return createHash('sha256').update(subject).digest('hex').slice(0, 32);
}

function itemsInScope(
  items: readonly NamedItem[],
  inScope: readonly Feed[] | undefined,
): readonly NamedItem[] {
  const ids = inScope && new Set(inScope.map(({ id }) => id));
  return items.filter(({ feed }) => ids === undefined || ids.has(feed));
}

function someItems(items: readonly NamedItem[]) {
  const some = items.slice(0, MAX_ITEMS).map((item) => toAnswer(item));
  return { matchCount: items.length, items: some };
}

function toAnswer(item: NamedItem, maxLength = MAX_REASON_LENGTH): QuarantineItem {
  const { id, kind, feed, subject, quarantinedAt, reason } = item;
  return {
    ...{ id, kind, list: feed, subject },
    at: isoTime(quarantinedAt),
    reason: reason.length > maxLength ? `${reason.slice(0, maxLength)}…` : reason,
  };
}

async function show(
  [item]: readonly NamedItem[],
  quarantine: QuarantineOperations,
): Promise<QuarantineShowAnswer> {
  if (item === undefined) throw new RangeError('no item was picked');
  const value = await quarantine.loadValue(item.subject);
  const bytes = Buffer.byteLength(JSON.stringify(value) ?? '');
  if (bytes > MAX_VALUE_BYTES) {
    throw new RequestRefusedError(`The item has ${bytes} bytes, more than an answer may have.`, {
      hint: 'Read it in the bucket, below quarantine/.',
    });
  }
  return { command: 'quarantine-show', item: { ...toAnswer(item, Infinity), value } };
}

async function change(
  { command, dryRun }: ChangeRequest,
  items: readonly NamedItem[],
  context: QuarantineContext,
): Promise<QuarantineChangeAnswer> {
  const { quarantine } = context;
  if (command === 'quarantine-drop') {
    if (dryRun !== true) await quarantine.delete(items.map(({ subject }) => subject));
    return { command, ...someItems(items), skipped: [] };
  }
  const { lists, skipped } = planRetry(items, context);
  if (dryRun !== true) for (const list of lists) await retryList(list, context);
  return {
    command,
    ...someItems(lists.flatMap((list) => list.items)),
    skipped: skipped.slice(0, MAX_ITEMS).map(({ item, reason }) => {
      return { item: toAnswer(item), reason };
    }),
  };
}
