import { FEED_PARTITIONS } from '../model/feed.ts';
import type { Ports } from '../ports/ports.ts';
import type { Lease, ShardLayout } from '../ports/state-store.ts';

/** The place of a run among the shards. */
export interface ShardPlace {
  /** Names the run in its lease. */
  readonly runId: string;
  /** From 0. */
  readonly shard: number;
  /** As config has it. */
  readonly shardCount: number;
  /** Time after which a lease ends that is not renewed. */
  readonly leaseMs: number;
}

/** Notes of the latest generations that a layout keeps: of all shards of one at least. */
const MAX_NOTES = 2 * FEED_PARTITIONS;

type LayoutPorts = Pick<Ports, 'store' | 'clock' | 'telemetry'>;

/**
 * The layout in which a run may take its lease; undefined while it has another number of shards.
 *
 * Shard 0 alone changes the layout, since every deployment has exactly one: pollers of two deployments that
 * run side by side do not change it to and fro. It closes all leases of the generation, waits until none is
 * held, which may take some runs, and begins the next generation. So feeds are never polled under leases of two
 * generations: a lease that is closed cannot be acquired, and only a run that has read the new layout
 * acquires one of the next.
 */
export async function joinLayout(
  ports: LayoutPorts,
  place: ShardPlace,
): Promise<ShardLayout | undefined> {
  const { store, telemetry } = ports;
  const { shard, shardCount } = place;
  const layout = await store.loadLayout(shardCount);
  if (layout.shardCount === shardCount && !layout.isClosing) return layout;
  const next = shard === 0 ? await changeLayout(layout, ports, place) : undefined;
  const fields = { shard, from: layout.shardCount, to: shardCount };
  if (next !== undefined) telemetry.info('The number of shards has changed', fields);
  else telemetry.info('The number of shards changes; this run waits for others to end', fields);
  return next;
}

/** Begins the next generation. @returns undefined while runs of the old one work, or another run is faster. */
async function changeLayout(
  layout: ShardLayout,
  { store, clock }: LayoutPorts,
  { runId, shardCount, leaseMs }: ShardPlace,
): Promise<ShardLayout | undefined> {
  const { generation } = layout;
  // Also those of this number of shards need a new generation then: their leases may be closed.
  if (!(await store.saveLayout({ ...layout, isClosing: true }, generation))) return undefined;
  const closed = await Promise.all(
    Array.from({ length: layout.shardCount }, (_, shard) => {
      const now = clock.now();
      const lease: Lease = {
        shard: leaseName(layout, shard),
        owner: runId,
        expiresAt: now + leaseMs,
      };
      return store.closeLease(lease, now);
    }),
  );
  if (closed.includes(undefined)) return undefined;
  const told = closed.flatMap((lease) => lease?.note ?? []);
  // A shard that has not run yet leaves none: what it was to know is for the next ones.
  const untold = told.length < closed.length ? (layout.notes ?? []) : [];
  const notes = [...told, ...untold].slice(0, MAX_NOTES);
  const next = { generation: generation + 1, shardCount, ...(notes.length > 0 && { notes }) };
  return (await store.saveLayout(next, generation)) ? next : undefined;
}

/** Names the lease of a shard: its number, in the first generation alone. */
export function leaseName({ generation }: ShardLayout, shard: number): string {
  return generation === 0 ? String(shard) : `${generation}.${shard}`;
}
