import { feedPartition, partitionsOf } from '../../functions/core/model/feed.ts';
import type { RunOptions } from '../../functions/core/run/run-options.ts';
import { liveSite, type Site } from './site.ts';

const optionsOf = (shard: number): Partial<RunOptions> => ({
  ...{ shard, shardCount: 2, partitions: partitionsOf(shard, 2) },
});
/** The shard that polls the projects. */
export const FIRST = optionsOf(0);
export const SECOND = optionsOf(1);

/** The id of a project whose lists belong to a shard. */
export const idIn = ({ partitions = [] }: Partial<RunOptions>): string =>
  Array.from({ length: 99 }, (_, n) => `p${n}`).find((projectId) =>
    partitions.includes(feedPartition({ projectId })),
  ) ?? '';

/** A site of two shards with a project of each, whose baselines are done. */
export async function shardedSite(): Promise<Site> {
  const site = await liveSite();
  for (const shard of [FIRST, SECOND]) {
    site.project(idIn(shard), 3);
    site.floorplan(idIn(shard), 'f', 4);
  }
  for (const shard of [FIRST, SECOND, FIRST, SECOND]) await site.events(shard);
  return site;
}
