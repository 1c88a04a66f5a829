import { LeaseLostError } from '../model/errors.ts';
import type { LeaseGuard } from '../ports/lease-guard.ts';
import type { Ports } from '../ports/ports.ts';
import type { Lease } from '../ports/state-store.ts';

/** A lease that is renewed until it is released or lost. */
export interface HeldLease {
  /** Fails once another run has the lease or may take it. */
  readonly guard: LeaseGuard;
  /** The note of the run before, see {@link Lease.note}. */
  readonly note: string | undefined;
  /** Sets what makes the note for the next run, at each renewal and at the release. */
  handOver(makeNote: () => string): void;
  /** Stops renewing, and releases the lease. */
  release(): Promise<void>;
}

type LeasePorts = Pick<Ports, 'store' | 'clock' | 'telemetry'>;

/**
 * Acquires the lease on a shard and renews it each third of its duration, so that only one run works on
 * the shard.
 *
 * Stops the run with {@link LeaseLostError} when another run has the lease, or when only a third of the
 * duration remains without a renewal, whether the table refused, failed or did not answer.
 *
 * @param options.leaseMs duration of the lease after each renewal.
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
  let makeNote = (): string | undefined => undefined;
  const acquired = await store.acquireLease(lease, clock.now());
  if (acquired === undefined) return undefined;

  const released = new AbortController();
  const lost = new AbortController();
  void renewUntilReleased();
  return {
    guard: {
      assertHeld() {
        // Leave time for the call that starts now, before another run may start.
        if (loss === undefined && clock.now() >= lease.expiresAt - leaseMs / 3) lose();
        if (loss !== undefined) throw loss;
      },
      signal: lost.signal,
    },
    note: acquired.note,
    handOver(make) {
      makeNote = make;
    },
    async release() {
      released.abort();
      try {
        await store.releaseLease({ ...lease, note: makeNote() });
      } catch (error) {
        telemetry.error('The lease was not released; it will expire', error, { shard });
      }
    },
  };

  async function renewUntilReleased(): Promise<void> {
    let waitMs = leaseMs / 3;
    while (loss === undefined) {
      await clock.sleep(waitMs, released.signal);
      if (released.signal.aborted) return;
      const before = lease;
      await renew();
      // Five retries fit into the second third of the lease.
      waitMs = lease === before ? leaseMs / 15 : leaseMs / 3;
    }
  }

  /** Renews once, and gives up when a third of the lease remains. */
  async function renew(): Promise<void> {
    const next = { ...lease, expiresAt: clock.now() + leaseMs, note: makeNote() };
    const answered = new AbortController();
    const renewal = store
      .renewLease(next)
      .then(() => (lease = next), failed)
      .finally(() => {
        answered.abort();
      });
    const timeout = clock.sleep(lease.expiresAt - leaseMs / 3 - clock.now(), answered.signal);
    await Promise.race([renewal, timeout]);
    if (!answered.signal.aborted && !released.signal.aborted) lose();
  }

  function failed(error: unknown): void {
    if (error instanceof LeaseLostError || clock.now() >= lease.expiresAt - leaseMs / 3)
      lose(error);
    else telemetry.error('The lease was not renewed; the renewal is retried', error, { shard });
  }

  function lose(cause?: unknown): void {
    loss = cause instanceof LeaseLostError ? cause : notRenewed(shard, cause);
    lost.abort(loss);
    stopping.abort(loss);
  }
}

function notRenewed(shard: string, cause: unknown): LeaseLostError {
  return new LeaseLostError(`The lease on shard ${shard} was not renewed before its end`, {
    hint: 'The next run continues. Check the table if it repeats.',
    cause,
  });
}
