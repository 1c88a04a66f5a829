import { describe } from 'vitest';
import { type StateStore } from '../../functions/core/ports/state-store.ts';
import { describeEntityStates } from './state-store/entity-states.ts';
import { describeFeeds } from './state-store/feeds.ts';
import { describeLayout } from './state-store/layout.ts';
import { describeLease } from './state-store/lease.ts';
import { describeShard } from './state-store/shard.ts';

/** The contract of every {@link StateStore}. */
export function describeStateStore(name: string, open: () => Promise<StateStore>): void {
  describe(`${name} as a state store`, () => {
    describeLease(open);
    describeLayout(open);
    describeFeeds(open);
    describeShard(open);
    describeEntityStates(open);
  });
}
