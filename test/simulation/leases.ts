import { MAX_CLOCK_DIFFERENCE_MS, type Lease } from '../../functions/core/ports/state-store.ts';

interface HeldLease extends Lease {
  readonly partitions: readonly number[];
}

/** Tracks which runs hold leases, and finds two that work on the same partitions. */
export class Leases {
  readonly #violations: string[];
  /** By owner. */
  readonly #held = new Map<string, HeldLease>();
  /** Names of those that nobody acquires again. */
  readonly #closed = new Set<string>();

  /** @param violations where breaches are noted. */
  constructor(violations: string[]) {
    this.#violations = violations;
  }

  acquired(
    lease: Lease,
    { partitions }: { readonly partitions: readonly number[] },
    now: number,
  ): void {
    const { owner, expiresAt } = lease;
    for (const held of this.#held.values()) {
      if (!held.partitions.some((partition) => partitions.includes(partition))) continue;
      const isVoid = held.expiresAt > expiresAt + MAX_CLOCK_DIFFERENCE_MS;
      if (held.owner !== owner && held.expiresAt >= now && !isVoid) {
        this.#violations.push(
          `two runs never work at once: ${owner} got ${lease.shard} while ${held.owner} held ${held.shard}`,
        );
      }
      this.#held.delete(held.owner);
    }
    this.#held.set(owner, { ...lease, partitions });
  }

  renewed(lease: Lease): void {
    const { partitions = [] } = this.#held.get(lease.owner) ?? {};
    this.#held.set(lease.owner, { ...lease, partitions });
  }

  released({ owner }: Lease): void {
    this.#held.delete(owner);
  }

  closed({ shard }: Lease): void {
    this.#closed.add(shard);
  }

  /** Checks that a run holds its lease when it writes. */
  changedBy(owner: string, now: number, operation: string): void {
    const held = this.#held.get(owner);
    if (held !== undefined && held.expiresAt >= now) return;
    this.#violations.push(
      `two runs never work at once: ${owner} did ${operation} without a lease; held: ${[...this.#held.keys()].join()}`,
    );
  }

  /** Checks that a lease was refused only while it lasts, or once it is closed. */
  refused({ shard, owner }: Lease, now: number, longestMs: number): void {
    if (this.#closed.has(shard)) return;
    const holder = [...this.#held.values()].find((held) => held.shard === shard);
    const remaining = (holder?.expiresAt ?? 0) - now;
    if (remaining >= 0 && remaining <= longestMs) return;
    this.#violations.push(
      `a dead run is replaced when its lease is over: ${owner} was refused it with ${remaining} ms left`,
    );
  }
}
