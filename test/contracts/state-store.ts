import { describe } from 'vitest';
import type { OperatedStore } from '../../functions/control/ports.ts';
import { describeEntityStates } from './state-store/entity-states.ts';
import { describeFeeds } from './state-store/feeds.ts';
import { describeLease } from './state-store/lease.ts';
import { describeShard } from './state-store/shard.ts';

/** The contract of every {@link OperatedStore}. */
export function describeStateStore(name: string, open: () => Promise<OperatedStore>): void {
  describe(`${name} as a state store`, () => {
    describeLease(open);
    describeFeeds(open);
    describeShard(open);
    describeEntityStates(open);
  });
}
