import { describe } from 'vitest';
import { describeFeeds } from './state-store/feeds.ts';
import { describeKnown } from './state-store/known.ts';
import { describeLease } from './state-store/lease.ts';
import { describePlan } from './state-store/plan.ts';
import { type StateStore } from '../../functions/core/ports/state-store.ts';

/** What every {@link StateStore} must do. */
export function describeStateStore(name: string, open: () => Promise<StateStore>): void {
  describe(`${name} as a state store`, () => {
    describeLease(open);
    describeFeeds(open);
    describePlan(open);
    describeKnown(open);
  });
}
