import { LeaseLost } from './errors.ts';
import type { Clock, Lease, StateStore, Telemetry } from './ports.ts';

/** A lease that is renewed as long as it is held. */
export interface HeldLease {
  /** Stops renewing and gives the lease back. */
  release(): Promise<void>;
}

/**
 * Takes the lease on a shard and renews it at a third of its time. When it is lost, or cannot be
 * renewed until shortly before its end, the run is stopped with {@link LeaseLost}, so that two runs
 * never work on one shard.
 *
 * @param options.leaseMs how long the lease lasts unless renewed.
 * @param stopping aborted when the lease is lost.
 * @returns undefined when another run holds it.
 */
export async function holdLease(
  { store, clock, telemetry }: { store: StateStore; clock: Clock; telemetry: Telemetry },
  options: { readonly runId: string; readonly shard: string; readonly leaseMs: number },
  stopping: AbortController,
): Promise<HeldLease | undefined> {
  const { shard, runId: owner, leaseMs } = options;
  let lease: Lease = { shard, owner, until: clock.now() + leaseMs };
  if (!(await store.acquireLease(lease, clock.now()))) return undefined;

  const released = new AbortController();
  const renewing = renew();
  return {
    async release() {
      released.abort();
      await renewing;
      try {
        await store.releaseLease(lease);
      } catch (error) {
        telemetry.error('The lease was not given back; it ends by itself', error, { shard });
      }
    },
  };

  async function renew(): Promise<void> {
    for (;;) {
      await clock.sleep(leaseMs / 3, released.signal);
      if (released.signal.aborted) return;
      const next = { ...lease, until: clock.now() + leaseMs };
      try {
        await store.renewLease(next);
        lease = next;
      } catch (error) {
        // One renewal may fail; with a third of the time left there is no room for another.
        if (error instanceof LeaseLost || clock.now() > lease.until - leaseMs / 2) {
          stopping.abort(lost(shard, error));
          return;
        }
        telemetry.error('The lease could not be renewed; it is tried again', error, { shard });
      }
    }
  }
}

function lost(shard: string, cause: unknown): LeaseLost {
  return cause instanceof LeaseLost
    ? cause
    : new LeaseLost(`The lease on shard ${shard} could not be renewed before its end`, {
        hint: 'The next run goes on where this one stopped. Look at the table if it happens again.',
        cause,
      });
}
