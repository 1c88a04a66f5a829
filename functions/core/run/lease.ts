/**
 * Gives the partitions of a shard to one run at a time.
 *
 * - A run takes all of them until its function's time-out, and frees them at its end. It renews
 *   nothing: Lambda kills a run that overstays.
 * - A run that dies keeps them until then. What it still writes fails by a feed's revision.
 * - From 2 to 4 shards: a new owner finds a partition taken by an old run, and comes back with the
 *   next tick.
 */
import type { Ports } from '../ports/ports.ts';
import type { Lease } from '../ports/state-store.ts';
import type { RunOptions } from './run-options.ts';

/** The clocks of two hosts may differ by this much. */
const CLOCK_DIFFERENCE_MS = 2_000;

/** Who takes which partitions, and for how long. */
type LeaseOptions = Pick<RunOptions, 'runId' | 'shard' | 'partitions' | 'remainingMs'>;

/** @returns undefined when another run has one of the partitions. */
export async function takeLease(
  { store, clock, telemetry }: Pick<Ports, 'store' | 'clock' | 'telemetry'>,
  { runId, shard, partitions, remainingMs }: LeaseOptions,
): Promise<Lease | undefined> {
  const now = clock.now();
  const until = now + remainingMs() + CLOCK_DIFFERENCE_MS;
  const lease = { partitions, owner: runId, until };
  if (await store.takeLease(lease, now)) return lease;
  telemetry.count('LeaseHeld', 1);
  telemetry.info('Another run holds the lease', { shard });
  return undefined;
}

/** Frees the partitions for the next run. A failure costs the time until the lease ends. */
export async function freeLease(
  { store, telemetry }: Pick<Ports, 'store' | 'telemetry'>,
  lease: Lease,
): Promise<void> {
  try {
    await store.freeLease(lease);
  } catch (error) {
    telemetry.error('The lease was not freed; it will end', error);
  }
}
