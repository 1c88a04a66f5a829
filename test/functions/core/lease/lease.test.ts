import { describe, expect, it } from 'vitest';
import { holdLease, type HeldLease } from '../../../../functions/core/lease/lease.ts';
import { LeaseLostError } from '../../../../functions/core/model/errors.ts';
import type { Lease } from '../../../../functions/core/ports/state-store.ts';
import { ManualClock, settlePromises } from '../../../support/manual-clock.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { RecordingTelemetry } from '../../../support/recording-telemetry.ts';

const LEASE_MS = 60_000;
const THIRD_MS = 20_000;

/** A held lease on a store whose answers a test may replace. */
async function heldLease(store = new MemoryStore()) {
  const clock = new ManualClock();
  const telemetry = new RecordingTelemetry();
  const stopping = new AbortController();
  const lease = await holdLease(
    { store, clock, telemetry },
    { runId: 'ours', shard: '3', leaseMs: LEASE_MS },
    stopping,
  );
  if (lease === undefined) throw new Error('another run holds the lease');
  const wait = async (milliseconds: number) => {
    clock.advance(milliseconds);
    await settlePromises();
  };
  return { store, clock, telemetry, stopping, lease, wait };
}

/** The error with which the guard stops the lease's owner. */
function lossOf({ lease }: { lease: HeldLease }): unknown {
  try {
    lease.guard.assertHeld();
    return undefined;
  } catch (error) {
    return error;
  }
}

describe('a lease', () => {
  it('is not acquired while another run holds it', async () => {
    const { store, clock, telemetry } = await heldLease();
    const options = { runId: 'other', shard: '3', leaseMs: LEASE_MS };
    const stopping = new AbortController();
    expect(await holdLease({ store, clock, telemetry }, options, stopping)).toBeUndefined();
    expect(stopping.signal.aborted).toBe(false);
  });

  it('is renewed each third of its duration, for its whole duration', async () => {
    const store = new MemoryStore();
    const renewals: Lease[] = [];
    store.renewLease = (lease) => {
      renewals.push(lease);
      return Promise.resolve();
    };
    const held = await heldLease(store);
    const start = held.clock.now();
    await held.wait(THIRD_MS - 1);
    expect(renewals).toEqual([]);
    for (const milliseconds of [1, THIRD_MS - 1]) await held.wait(milliseconds);
    expect(renewals).toHaveLength(1);
    for (const milliseconds of [1, THIRD_MS]) await held.wait(milliseconds);
    const ends = [1, 2, 3].map((n) => start + n * THIRD_MS + LEASE_MS);
    const lease = { shard: '3', owner: 'ours' };
    expect(renewals).toEqual(ends.map((expiresAt) => ({ ...lease, expiresAt })));
    expect(lossOf(held)).toBeUndefined();
  });

  it('is free and no longer renewed after its release', async () => {
    const held = await heldLease();
    await held.lease.release();
    expect(held.clock.sleeping).toBe(0);
    const other = { shard: '3', owner: 'other', expiresAt: LEASE_MS };
    expect(await held.store.acquireLease(other, 0)).toBeDefined();
  });

  it('hands over the latest note at each renewal and at its release', async () => {
    const first = await heldLease();
    expect(first.lease.note).toBeUndefined();
    let note = 'a';
    first.lease.handOver(() => note);
    await first.wait(THIRD_MS);
    const next = { shard: '3', owner: 'other', expiresAt: 9e15 };
    const late = first.clock.now() + LEASE_MS + 1;
    expect(await first.store.acquireLease(next, late)).toEqual({ note: 'a' });
    await first.store.releaseLease(next);
    const second = await heldLease(first.store);
    expect(second.lease.note).toBe('a');
    second.lease.handOver(() => note);
    note = 'b';
    await second.lease.release();
    expect((await heldLease(first.store)).lease.note).toBe('b');
  });

  it('that cannot be released expires, and the log says so', async () => {
    const held = await heldLease();
    const away = new Error('table is away');
    held.store.releaseLease = () => Promise.reject(away);
    await held.lease.release();
    const message = 'The lease was not released; it will expire';
    const fields = { shard: '3' };
    expect(held.telemetry.logs).toEqual([{ level: 'error', message, fields, error: away }]);
  });
});

describe('a lease is lost', () => {
  it('when a third of its duration remains, even to a run that was paused', async () => {
    const held = await heldLease();
    held.clock.advance(LEASE_MS - THIRD_MS - 1);
    expect(lossOf(held)).toBeUndefined();
    held.clock.advance(1);
    expect(lossOf(held)).toBeInstanceOf(LeaseLostError);
    expect(held.stopping.signal.reason).toBe(lossOf(held));
  });

  it('when another run took it, and the run stops with the error of the store', async () => {
    const held = await heldLease();
    const taken = new LeaseLostError('taken', { hint: 'Nothing.' });
    held.store.renewLease = () => Promise.reject(taken);
    await held.wait(THIRD_MS);
    expect(held.stopping.signal.reason).toBe(taken);
    // Aborts calls in flight.
    expect(held.lease.guard.signal.reason).toBe(taken);
    held.clock.advance(LEASE_MS);
    expect(lossOf(held)).toBe(taken);
    expect(held.clock.sleeping).toBe(0);
  });

  it('when its renewals fail until a third of its duration remains', async () => {
    const held = await heldLease();
    const away = new Error('table is away');
    held.store.renewLease = () => Promise.reject(away);
    await held.wait(THIRD_MS);
    expect(lossOf(held)).toBeUndefined();
    for (let n = 0; n < 4; n += 1) await held.wait(LEASE_MS / 15);
    const message = 'The lease was not renewed; the renewal is retried';
    const entry = { level: 'error', message, fields: { shard: '3' }, error: away };
    expect(held.telemetry.logs).toEqual(Array(5).fill(entry));
    expect(lossOf(held)).toBeUndefined();
    await held.wait(LEASE_MS / 15);
    expect(held.stopping.signal.reason).toMatchObject({
      name: 'LeaseLostError',
      message: 'The lease on shard 3 was not renewed before its end',
      hint: expect.stringContaining('The next run continues') as string,
    });
  });

  it('when the store does not answer until a third of its duration remains', async () => {
    const held = await heldLease();
    held.store.renewLease = () => new Promise(() => undefined);
    await held.wait(THIRD_MS);
    await held.wait(THIRD_MS - 1);
    expect(lossOf(held)).toBeUndefined();
    await held.wait(1);
    expect(lossOf(held)).toBeInstanceOf(LeaseLostError);
  });
});

describe('a lease is kept', () => {
  it('when a renewal fails and its retry succeeds', async () => {
    const held = await heldLease();
    const renew = held.store.renewLease.bind(held.store);
    let attempts = 0;
    held.store.renewLease = (lease) => {
      attempts += 1;
      return attempts === 1 ? Promise.reject(new Error('throttled')) : renew(lease);
    };
    await held.wait(THIRD_MS);
    await held.wait(LEASE_MS / 15);
    expect(attempts).toBe(2);
    await held.wait(THIRD_MS);
    expect(attempts).toBe(3);
    expect(lossOf(held)).toBeUndefined();
  });

  it('by a slow renewal that takes less than a third of the lease', async () => {
    const held = await heldLease();
    const answer = Promise.withResolvers<undefined>();
    held.store.renewLease = () => answer.promise;
    await held.wait(THIRD_MS);
    await held.wait(THIRD_MS - 1);
    answer.resolve(undefined);
    await settlePromises();
    held.clock.advance(THIRD_MS - 1);
    expect(lossOf(held)).toBeUndefined();
  });
});
