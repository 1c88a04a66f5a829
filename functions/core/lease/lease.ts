import { LeaseLostError } from '../model/errors.ts';
import { type LeaseGuard } from '../ports/lease-guard.ts';
import { type Clock } from '../ports/clock.ts';
import { type Lease, type StateStore } from '../ports/state-store.ts';
import { type Telemetry } from '../ports/telemetry.ts';

/** A lease that is renewed as long as it is held. */
export interface HeldLease {
  /** Ends when the lease went to another run, or may have. */
  readonly guard: LeaseGuard;
  /** Stops renewing and gives the lease back. */
  release(): Promise<void>;
}

/** What a held lease works with. */
interface LeasePorts {
  readonly store: StateStore;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

/**
 * Takes the lease on a shard and renews it at a third of its time. When it is lost, or not renewed
 * when a third of its time is left, whether the table refuses, fails or does not answer, the run is
 * stopped with {@link LeaseLostError}, so that two runs never work on one shard.
 *
 * @param options.leaseMs how long the lease lasts unless renewed.
 * @param stopping aborted when the lease is lost.
 * @returns undefined when another run holds it.
 */
export async function holdLease(
  { store, clock, telemetry }: LeasePorts,
  options: { readonly runId: string; readonly shard: string; readonly leaseMs: number },
  stopping: AbortController,
): Promise<HeldLease | undefined> {
  const { shard, runId: owner, leaseMs } = options;
  let lease: Lease = { shard, owner, expiresAt: clock.now() + leaseMs };
  let loss: LeaseLostError | undefined;
  if (!(await store.acquireLease(lease, clock.now()))) return undefined;

  const released = new AbortController();
  const lost = new AbortController();
  void renewUntilReleased();
  return {
    guard: {
      assertHeld() {
        // A call that begins now needs some time before another run may begin.
        if (loss === undefined && clock.now() >= lease.expiresAt - leaseMs / 3) lose();
        if (loss !== undefined) throw loss;
      },
      signal: lost.signal,
    },
    async release() {
      released.abort();
      try {
        await store.releaseLease(lease);
      } catch (error) {
        telemetry.error('The lease was not given back; it ends by itself', error, { shard });
      }
    },
  };

  async function renewUntilReleased(): Promise<void> {
    let wait = leaseMs / 3;
    while (loss === undefined) {
      await clock.sleep(wait, released.signal);
      if (released.signal.aborted) return;
      const before = lease;
      await renew();
      // Five tries fit between the first one and the end of our time.
      wait = lease === before ? leaseMs / 15 : leaseMs / 3;
    }
  }

  /** One renewal, which may take until a third of the lease is left. */
  async function renew(): Promise<void> {
    const next = { ...lease, expiresAt: clock.now() + leaseMs };
    const answered = new AbortController();
    const renewal = store
      .renewLease(next)
      .then(() => (lease = next), failed)
      .finally(() => {
        answered.abort();
      });
    const tooLong = clock.sleep(lease.expiresAt - leaseMs / 3 - clock.now(), answered.signal);
    await Promise.race([renewal, tooLong]);
    if (!answered.signal.aborted && !released.signal.aborted) lose();
  }

  function failed(error: unknown): void {
    if (error instanceof LeaseLostError || clock.now() >= lease.expiresAt - leaseMs / 3)
      lose(error);
    else telemetry.error('The lease could not be renewed; it is tried again', error, { shard });
  }

  function lose(cause?: unknown): void {
    loss = cause instanceof LeaseLostError ? cause : notRenewed(shard, cause);
    lost.abort(loss);
    stopping.abort(loss);
  }
}

function notRenewed(shard: string, cause: unknown): LeaseLostError {
  return new LeaseLostError(`The lease on shard ${shard} could not be renewed before its end`, {
    hint: 'The next run goes on where this one stopped. Look at the table if it happens again.',
    cause,
  });
}
