import type { Deployment } from '../history/mishaps.ts';

/** A poller, as it was deployed. */
export interface Poller {
  readonly shard: number;
  readonly shardCount: number;
}

/**
 * The pollers that are started on each tick. A deployment starts new shards, then replaces shard 0,
 * and at last removes what it no longer has. Nothing else is sure of the order in which
 * CloudFormation works.
 */
export class Fleet {
  #shardCount = 1;
  #deploying: { readonly to: Deployment; ticks: number } | undefined;

  deploy(to: Deployment): void {
    if (this.#deploying !== undefined) this.#shardCount = this.#deploying.to.shardCount;
    this.#deploying = { to, ticks: 0 };
  }

  /** Ends the deployment. */
  settle(): void {
    if (this.#deploying !== undefined) this.#shardCount = this.#deploying.to.shardCount;
    this.#deploying = undefined;
  }

  /** The pollers of the next tick. */
  start(): readonly Poller[] {
    if (this.#deploying === undefined) return pollers(this.#shardCount);
    const { to, ticks } = this.#deploying;
    this.#deploying.ticks += 1;
    const [oldFirst, ...old] = pollers(this.#shardCount);
    const [newFirst, ...others] = pollers(to.shardCount);
    const first = ticks < to.ticksBefore ? oldFirst : newFirst;
    if (ticks >= to.ticksBefore + to.ticksAfter) this.settle();
    return [...(first ? [first] : []), ...others, ...old];
  }
}

function pollers(shardCount: number): Poller[] {
  return Array.from({ length: shardCount }, (_, shard) => ({ shard, shardCount }));
}
