import type { EntityState } from '../model/entity-state.ts';
import type { Clock } from '../ports/clock.ts';
import type { StateStore } from '../ports/state-store.ts';

/**
 * A store that forgets deleted entities: it saves them with an end, and does not show them after it, whether
 * the table has deleted them by then or not. For a whole run the end is measured from its start.
 *
 * The end is the retention after the save, and after the entity's last `sequence`. So what is forgotten has
 * no sequence after the start of the run less the retention.
 */
export function withRetention(
  store: StateStore,
  clock: Pick<Clock, 'now'>,
  retentionMs: number,
): StateStore {
  const startedAt = clock.now();
  const withEnd = (state: EntityState): EntityState => {
    // A pending event is told before it may be forgotten.
    if (!state.deleted || state.pendingEvent !== undefined) return withoutEnd(state);
    return { ...state, expiresAt: Math.max(clock.now(), Date.parse(state.sequence)) + retentionMs };
  };
  return {
    ...store,
    async loadStates(feedId, keys) {
      const states = await store.loadStates(feedId, keys);
      for (const [key, { expiresAt = Infinity }] of states) {
        if (expiresAt <= startedAt) states.delete(key);
      }
      return states;
    },
    async loadStatesAfter(feedId, after) {
      const page = await store.loadStatesAfter(feedId, after);
      const states = page.states.filter(({ expiresAt = Infinity }) => expiresAt > startedAt);
      return { ...page, states };
    },
    saveStates: (feedId, states) => store.saveStates(feedId, states.map(withEnd)),
  };
}

function withoutEnd(state: EntityState): EntityState {
  if (state.expiresAt === undefined) return state;
  const { expiresAt: _, ...kept } = state;
  return kept;
}
