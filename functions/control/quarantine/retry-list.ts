import { feedPartition } from '../../core/model/feed.ts';
import type { KeptItem, QuarantineOperations } from '../../core/ports/quarantine-operations.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import { writeFeed, type FeedWriteStore } from '../change-feeds.ts';
import type { ListRetry } from './plan-retry.ts';

export type RetryStore = FeedWriteStore & Pick<StateStore, 'saveCommands'>;

interface RetryContext {
  readonly store: RetryStore;
  readonly quarantine: Pick<QuarantineOperations, 'delete'>;
}

/** Has the items of a list tried again. If they cannot be deleted, they are still there for the next retry. */
export async function retryList(
  { feed, items, rewind, replay }: ListRetry<KeptItem>,
  { store, quarantine }: RetryContext,
): Promise<void> {
  if (rewind !== undefined) await writeFeed(feed, rewind, store);
  if (replay !== undefined)
    await store.saveCommands([{ partition: feedPartition(feed), command: replay }]);
  await quarantine.delete(items.map(({ subject }) => subject));
}
