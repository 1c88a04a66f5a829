import { invalidKey } from '../../core/changes/invalid-entity.ts';
import type { Reread } from '../../core/model/command.ts';
import { feedPartition, type Feed } from '../../core/model/feed.ts';
import { compareTimestamps } from '../../core/model/timestamp.ts';
import type { QuarantineQueue, QueuedItem, Received } from '../../core/ports/quarantine-queue.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import { RequestRefusedError } from '../control-error.ts';
import type {
  QuarantineAnswer,
  QuarantineChangeAnswer,
  QuarantineItem,
  QuarantineRequest,
  QuarantineShowAnswer,
} from '../protocol.ts';
import { pickItems } from './pick-items.ts';

/** Characters of a reason in a list. */
const MAX_REASON_LENGTH = 200;
/** Bytes of a value in an answer. Lambda answers with at most 6 MB. */
const MAX_VALUE_BYTES = 5_000_000;

export interface QuarantineContext {
  readonly queue: QuarantineQueue;
  readonly store: Pick<StateStore, 'saveCommands'>;
  /** All feeds of the account. */
  readonly feeds: readonly Feed[];
  /** Those in the scope of the request; all lists that ever were if it has none. */
  readonly inScope: readonly Feed[] | undefined;
  /** Of the command that is placed. */
  readonly commandId: string;
}

type ChangeRequest = Extract<QuarantineRequest, { readonly dryRun?: boolean }>;

/**
 * Answers what is asked about the quarantine. What was received and stays is given back, so that the queue
 * is afterwards as it was.
 */
export async function answerQuarantine(
  request: QuarantineRequest,
  context: QuarantineContext,
): Promise<QuarantineAnswer> {
  const { queue, inScope } = context;
  const received = await queue.receive();
  const deleted = new Set<QueuedItem>();
  try {
    switch (request.command) {
      case 'quarantine-list': {
        const { isComplete, hiddenCount } = received;
        const items = itemsOf(received, inScope).map((item) => toAnswer(item));
        return { command: request.command, items, isComplete, hiddenCount };
      }
      case 'quarantine-show': {
        const [item] = pickItems([request.id], received);
        return await show(item, queue);
      }
      default:
        return await change(request, received, context, deleted);
    }
  } finally {
    const left = received.items.filter((item) => !deleted.has(item));
    await queue.release(left.flatMap(({ receipts }) => receipts));
  }
}

function itemsOf({ items }: Received, inScope: readonly Feed[] | undefined): QueuedItem[] {
  const ids = inScope && new Set(inScope.map(({ id }) => id));
  return items.filter(({ feed }) => ids === undefined || ids.has(feed));
}

function toAnswer(item: QueuedItem, maxLength = MAX_REASON_LENGTH): QuarantineItem {
  const { id, kind, feed, quarantinedAt, reason, copy } = item;
  return {
    id,
    kind,
    list: feed,
    at: new Date(quarantinedAt).toISOString(),
    reason: reason.length > maxLength ? `${reason.slice(0, maxLength)}…` : reason,
    copy,
  };
}

async function show(
  item: QueuedItem | undefined,
  queue: QuarantineQueue,
): Promise<QuarantineShowAnswer> {
  if (item === undefined) throw new RangeError('no item was picked');
  const { reason, cursor, value } = await readWhole(item, queue);
  const bytes = Buffer.byteLength(JSON.stringify(value) ?? '');
  if (bytes > MAX_VALUE_BYTES) {
    throw new RequestRefusedError(`The item has ${bytes} bytes, more than an answer may have.`, {
      hint: `Read its copy: aws s3 cp ${item.copy} -`,
    });
  }
  return {
    command: 'quarantine-show',
    item: {
      ...toAnswer({ ...item, reason }, Infinity),
      ...(cursor !== undefined && { cursor }),
      value,
    },
  };
}

const readWhole = async (item: QueuedItem, queue: QuarantineQueue) =>
  item.read?.() ?? queue.readCopy(item.copy);

/** @param deleted gets the items whose messages are deleted. */
async function change(
  { command, ids, dryRun }: ChangeRequest,
  received: Received,
  context: QuarantineContext,
  deleted: Set<QueuedItem>,
): Promise<QuarantineChangeAnswer> {
  const { isComplete, hiddenCount } = received;
  const picked = ids === undefined ? itemsOf(received, context.inScope) : pickItems(ids, received);
  const why = (item: QueuedItem): string | undefined =>
    command === 'quarantine-drop' ? undefined : whyNotRetried(item, context.feeds);
  const skipped = picked.flatMap((item) => {
    const reason = why(item);
    return reason === undefined ? [] : [{ item: toAnswer(item), reason }];
  });
  const accepted = picked.filter((item) => why(item) === undefined);
  const isRetry = command === 'quarantine-retry' && accepted.length > 0 && dryRun !== true;
  if (isRetry) await placeReread(accepted, context);
  if (dryRun !== true) {
    await context.queue.delete(accepted.flatMap(({ receipts }) => receipts));
    for (const item of accepted) deleted.add(item);
  }
  return {
    command,
    ...(isRetry && { id: context.commandId }),
    items: accepted.map((item) => toAnswer(item)),
    skipped,
    isComplete,
    hiddenCount,
  };
}

function whyNotRetried({ kind, feed }: QueuedItem, feeds: readonly Feed[]): string | undefined {
  if (kind === 'event') return 'the topic refused this event';
  const isKnown = feeds.some(({ id }) => id === feed);
  return isKnown ? undefined : 'there is no such list any more';
}

/** Has the lists of invalid entities read again. */
async function placeReread(
  items: readonly QueuedItem[],
  { queue, store, feeds, commandId: id }: QuarantineContext,
): Promise<void> {
  const lists = new Map<string, Reread>();
  for (const item of items) {
    const whole = await readWhole(item, queue);
    const before = lists.get(item.feed);
    lists.set(item.feed, {
      ...earliest(before, whole),
      invalid: [...(before?.invalid ?? []), invalidKey(whole)],
    });
  }
  const concerned = feeds.filter((feed) => lists.has(feed.id));
  const [first, ...others] = concerned;
  const scope = first !== undefined && others.length === 0 ? { list: first.id } : {};
  const command = { id, name: 'reread', scope, lists: Object.fromEntries(lists) } as const;
  const partitions = [...new Set(concerned.map(feedPartition))];
  await store.saveCommands(partitions.map((partition) => ({ partition, command })));
}

/** The earlier of two pages; the first page of a list has no cursor. */
function earliest(
  before: Reread | undefined,
  { cursor }: { readonly cursor?: string },
): Pick<Reread, 'from'> {
  if (before === undefined) return cursor === undefined ? {} : { from: cursor };
  const { from } = before;
  if (from === undefined || cursor === undefined) return {};
  return { from: compareTimestamps(cursor, from) < 0 ? cursor : from };
}
