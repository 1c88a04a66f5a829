import { changeFeeds } from '../../functions/control/change-feeds.ts';
import { feedsInScope } from '../../functions/control/in-scope.ts';
import type { ChangeRequest } from '../../functions/control/protocol.ts';
import type { Command } from '../../functions/core/model/command.ts';
import { FEED_PARTITIONS } from '../../functions/core/model/feed.ts';
import type { Site } from './site.ts';

/** A command without its id. */
export type Order = Command extends infer C ? (C extends Command ? Omit<C, 'id'> : never) : never;

let placedCount = 0;

/** Places commands as the control function does, in every partition. */
export async function place(site: Pick<Site, 'store'>, ...orders: readonly Order[]): Promise<void> {
  for (const order of orders) {
    const command = { ...order, id: String((placedCount += 1)).padStart(6, '0') } as Command;
    await site.store.saveCommands(
      Array.from({ length: FEED_PARTITIONS }, (_, partition) => ({ partition, command })),
    );
  }
}

const ALL_PARTITIONS = Array.from({ length: FEED_PARTITIONS }, (_, partition) => partition);

/** Changes lists as the control function does. */
export async function change(site: Site, ...requests: readonly ChangeRequest[]): Promise<void> {
  for (const request of requests) {
    const feeds = await site.store.loadFeeds(ALL_PARTITIONS);
    const inScope = feedsInScope(feeds, site.options.catalog, request.scope);
    await changeFeeds(request, inScope, { store: site.store, now: () => site.clock.now() });
  }
}
