import type { Lease } from '../../../functions/core/ports/state-store.ts';

/** Tracks which runs have leases, and finds two that work on the same partitions. */
export class Leases {
  readonly #violations: string[];
  /** The last lease of each partition, until it is freed. */
  readonly #held = new Map<number, Lease>();

  /** @param violations where breaches are noted. */
  constructor(violations: string[]) {
    this.#violations = violations;
  }

  taken(lease: Lease, now: number): void {
    const { owner } = lease;
    for (const held of this.#lasting(lease, now))
      if (held.owner !== owner)
        this.#breach(`two runs never work at once: ${owner} took partitions of ${held.owner}`);
    for (const partition of lease.partitions) this.#held.set(partition, lease);
  }

  freed(lease: Lease): void {
    for (const partition of lease.partitions)
      if (this.#held.get(partition)?.owner === lease.owner) this.#held.delete(partition);
  }

  /** Checks that a run has its lease when it writes. */
  changedBy(owner: string, now: number, operation: string): void {
    const all = [...this.#held.values()];
    if (all.some((held) => held.owner === owner && held.until >= now)) return;
    const owners = [...new Set(all.map((held) => held.owner))].join();
    this.#breach(
      `two runs never work at once: ${owner} did ${operation} without a lease; held: ${owners}`,
    );
  }

  /** Checks that a lease was refused only while another one lasts. */
  refused(lease: Lease, now: number): void {
    if (this.#lasting(lease, now).length > 0) return;
    this.#breach(`a dead run is replaced when its lease is over: ${lease.owner} was refused`);
  }

  #lasting({ partitions }: Lease, now: number): readonly Lease[] {
    const held = new Set(partitions.flatMap((partition) => this.#held.get(partition) ?? []));
    return [...held].filter(({ until }) => until >= now);
  }

  #breach(text: string): void {
    this.#violations.push(text);
  }
}
