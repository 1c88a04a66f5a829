import type { Feed } from '../../core/model/feed.ts';
import type { Catalog } from '../../core/model/resource-catalog.ts';
import { isoTime } from '../../core/model/timestamp.ts';
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
import { planRetry } from './plan-retry.ts';

/** Characters of a reason in a list. */
const MAX_REASON_LENGTH = 200;
/** Bytes of a value in an answer. Lambda answers with at most 6 MB. */
const MAX_VALUE_BYTES = 5_000_000;

export interface QuarantineContext {
  readonly queue: QuarantineQueue;
  readonly store: Pick<StateStore, 'loadStates' | 'saveCommands'>;
  readonly catalog: Catalog;
  /** All feeds of the account. */
  readonly feeds: readonly Feed[];
  /** Those in the scope of the request; all lists that ever were if it has none. */
  readonly inScope: readonly Feed[] | undefined;
  /** Gives a command that is placed its id. */
  readonly nextId: () => Promise<string>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
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
    at: isoTime(quarantinedAt),
    reason: reason.length > maxLength ? `${reason.slice(0, maxLength)}…` : reason,
    copy,
  };
}

async function show(
  item: QueuedItem | undefined,
  queue: QuarantineQueue,
): Promise<QuarantineShowAnswer> {
  if (item === undefined) throw new RangeError('no item was picked');
  const { reason, cursor, value } = item.read?.() ?? (await queue.readCopy(item.copy));
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

/** @param deleted gets the items whose messages are deleted. */
async function change(
  { command, ids, dryRun }: ChangeRequest,
  received: Received,
  context: QuarantineContext,
  deleted: Set<QueuedItem>,
): Promise<QuarantineChangeAnswer> {
  const { isComplete, hiddenCount } = received;
  const picked = ids === undefined ? itemsOf(received, context.inScope) : pickItems(ids, received);
  const retry = command === 'quarantine-retry' ? await planRetry(picked, context) : undefined;
  const { accepted, skipped, commands } = retry ?? { accepted: picked, skipped: [], commands: [] };
  const [placed] = dryRun === true ? [] : commands;
  if (placed !== undefined) await context.store.saveCommands(commands);
  if (dryRun !== true) {
    await context.queue.delete(accepted.flatMap(({ receipts }) => receipts));
    for (const item of accepted) deleted.add(item);
  }
  return {
    command,
    ...(placed !== undefined && { id: placed.command.id }),
    items: accepted.map((item) => toAnswer(item)),
    skipped: skipped.map(({ item, reason }) => ({ item: toAnswer(item), reason })),
    isComplete,
    hiddenCount,
  };
}
