import { writeFeed, type FeedWriteStore } from '../change-feeds.ts';
import type { KeptItem, QuarantineOperations } from '../ports.ts';
import type { ListRetry } from './plan-retry.ts';

interface RetryContext {
  readonly store: FeedWriteStore;
  readonly quarantine: Pick<QuarantineOperations, 'delete'>;
}

/** Has the items of a list tried again. If they cannot be deleted, they are still there for the next retry. */
export async function retryList(
  { feed, items, changes }: ListRetry<KeptItem>,
  { store, quarantine }: RetryContext,
): Promise<void> {
  let current = feed;
  for (const change of changes) {
    await writeFeed(current, change, store);
    current = (await store.loadFeedsById([feed])).get(feed.id) ?? current;
  }
  await quarantine.delete(items.map(({ subject }) => subject));
}
