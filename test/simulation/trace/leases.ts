import type { Lease } from '../../../functions/core/ports/state-store.ts';

/** Tracks which runs have leases, and finds two that work on the same partitions. */
export class Leases {
  readonly #violations: string[];
  /** By owner. */
  readonly #held = new Map<string, Lease>();

  /** @param violations where breaches are noted. */
  constructor(violations: string[]) {
    this.#violations = violations;
  }

  taken(lease: Lease, now: number): void {
    for (const held of this.#sharing(lease)) {
      if (held.owner !== lease.owner && held.until >= now) {
        this.#violations.push(
          `two runs never work at once: ${lease.owner} took partitions of ${held.owner}`,
        );
      }
      this.#held.delete(held.owner);
    }
    this.#held.set(lease.owner, lease);
  }

  freed({ owner }: Lease): void {
    this.#held.delete(owner);
  }

  /** Checks that a run has its lease when it writes. */
  changedBy(owner: string, now: number, operation: string): void {
    const held = this.#held.get(owner);
    if (held !== undefined && held.until >= now) return;
    this.#violations.push(
      `two runs never work at once: ${owner} did ${operation} without a lease; held: ${[...this.#held.keys()].join()}`,
    );
  }

  /** Checks that a lease was refused only while another one lasts. */
  refused(lease: Lease, now: number): void {
    if (this.#sharing(lease).some(({ until }) => until >= now)) return;
    this.#violations.push(
      `a dead run is replaced when its lease is over: ${lease.owner} was refused`,
    );
  }

  #sharing({ partitions }: Lease): readonly Lease[] {
    return [...this.#held.values()].filter((held) =>
      held.partitions.some((partition) => partitions.includes(partition)),
    );
  }
}
