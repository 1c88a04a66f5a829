import { createHash } from 'node:crypto';
import { isoTime } from '../core/model/timestamp.ts';
import type { ControlContext, KeptItem } from './ports.ts';
import type { QuarantineAnswer, QuarantineItem, QuarantineRequest } from './protocol.ts';
import { RequestRefusedError } from './requests.ts';
import { retryItems } from './retry-items.ts';
import { ALL_PARTITIONS, feedsInScope } from './scope.ts';

/** Characters of a reason in a list. */
const MAX_REASON_LENGTH = 200;
/** Items in an answer. Lambda answers with at most 6 MB. */
const MAX_ITEMS = 5_000;

/** An item with its id. */
interface NamedItem extends KeptItem {
  readonly id: string;
}

/** Answers the commands of the quarantine. */
export async function answerQuarantine(
  request: QuarantineRequest,
  context: ControlContext,
): Promise<QuarantineAnswer> {
  const { quarantine, catalog, store } = context;
  const { command } = request;
  const all = (await quarantine.list())
    .map((item) => ({ ...item, id: idOf(item) }))
    .sort((a, b) => a.quarantinedAt - b.quarantinedAt);
  if (command === 'quarantine-show') {
    const item = pickItem(request.id, all);
    const value = await quarantine.loadValue(item.subject);
    return { command, item: { ...toAnswer(item, Infinity), value } };
  }
  const { scope } = request;
  const feeds = await store.loadFeeds(ALL_PARTITIONS);
  const inScope = scope && new Set(feedsInScope(feeds, catalog, scope).map(({ id }) => id));
  const items =
    'ids' in request
      ? [...new Set(request.ids.map((id) => pickItem(id, all)))]
      : all.filter(({ feed }) => inScope?.has(feed) ?? true);
  if (command === 'quarantine-list') return { command, ...someItems(items) };
  const isDry = request.dryRun === true;
  if (command === 'quarantine-drop') {
    if (!isDry) await quarantine.delete(items.map(({ subject }) => subject));
    return { command, ...someItems(items), skipped: [] };
  }
  const { retried, skipped } = await retryItems(items, feeds, { ...context, isDry });
  return {
    command,
    ...someItems(retried),
    skipped: skipped
      .slice(0, MAX_ITEMS)
      .map(({ item, reason }) => ({ item: toAnswer(item), reason })),
  };
}

/** Another version is another item: nobody drops an unseen one. */
function idOf({ subject, version }: KeptItem): string {
  return createHash('sha256').update(`${subject} ${version}`).digest('hex').slice(0, 32);
}

/**
 * The item with the id, which may be cut.
 *
 * @throws RequestRefusedError if no item has it, or several share it.
 */
function pickItem(id: string, items: readonly NamedItem[]): NamedItem {
  const [item, ...others] = items.filter((each) => each.id.startsWith(id));
  if (item === undefined) {
    throw new RequestRefusedError(`There is no item "${id}" in the quarantine.`, {
      hint: items.length === 0 ? 'It is empty.' : 'sitecast quarantine list shows all.',
    });
  }
  if (others.length === 0) return item;
  throw new RequestRefusedError(`The id "${id}" is that of ${others.length + 1} items.`, {
    hint: 'Name more of its digits.',
  });
}

function someItems(items: readonly NamedItem[]) {
  const some = items.slice(0, MAX_ITEMS).map((item) => toAnswer(item));
  return { matchCount: items.length, items: some };
}

function toAnswer(item: NamedItem, maxLength = MAX_REASON_LENGTH): QuarantineItem {
  const { id, kind, feed: list, subject, quarantinedAt, reason } = item;
  const cut = reason.length > maxLength ? `${reason.slice(0, maxLength)}…` : reason;
  return { id, kind, list, subject, at: isoTime(quarantinedAt), reason: cut };
}
