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

/** Characters of JSON that the notes may have, so that they fit into an item of the table. */
const MAX_NOTES_LENGTH = 300_000;

/** Begins the next generation. @returns undefined while runs of the old one work, or another run is faster. */
async function changeLayout(
  layout: ShardLayout,
  { store, clock }: LayoutPorts,
  { runId, shardCount, leaseMs }: ShardPlace,
): Promise<ShardLayout | undefined> {
  const { generation } = layout;
  // Also those of this number of shards need a new generation then: their leases may be closed.
  if (!(await store.saveLayout({ ...layout, isClosing: true }, generation))) return undefined;
  const ended = await Promise.all(
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
  if (ended.includes(undefined)) return undefined;
  // What the service was like does not change with the shards.
  const known = ended.flatMap((lease) => lease?.note ?? []);
  // Where a shard had no run, those of the generation before still hold.
  const before = known.length < ended.length ? (layout.notes ?? []) : [];
  const notes = latestOf([...before, ...known]);
  const next = { generation: generation + 1, shardCount, ...(notes.length > 0 && { notes }) };
  return (await store.saveLayout(next, generation)) ? next : undefined;
}

/** The last notes, as many as fit: losing one does little harm. */
function latestOf(notes: readonly string[]): readonly string[] {
  let left = MAX_NOTES_LENGTH;
  const isTooMuch = (note: string): boolean => (left -= JSON.stringify(note).length) < 0;
  return notes.slice(notes.findLastIndex(isTooMuch) + 1);
}

/** Names the lease of a shard: its number, in the first generation alone. */
export function leaseName({ generation }: ShardLayout, shard: number): string {
  return generation === 0 ? String(shard) : `${generation}.${shard}`;
}
