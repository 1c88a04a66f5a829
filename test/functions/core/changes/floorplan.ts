import { diff } from '../../../../functions/core/changes/diff.ts';
import { observe, type Observed } from '../../../../functions/core/changes/observe.ts';
import type { Place } from '../../../../functions/core/changes/place.ts';
import type { EntityState } from '../../../../functions/core/model/entity-state.ts';
import type { JsonObject } from '../../../../functions/core/model/entity.ts';
import type { Feed } from '../../../../functions/core/model/feed.ts';
import { timeAt } from '../../../support/list-service.ts';

const place: Place = { entity: 'floorplan', path: '/projects/p/floorplans' };

/** The floorplan of these tests. */
export const identity = { place, id: 'f', key: 'floorplan#f' };

/** The floorplan as observed with a version. */
export function observedAt(second: number, fields: JsonObject = {}): Observed {
  const shown = { id: 'f', updated_at: timeAt(second), deleted_at: null, name: 'L1', ...fields };
  return observe(place, shown);
}

/** The difference between a state and what is observed. */
export function compare(
  state: EntityState | undefined,
  observed: Observed,
  { phase = 'live', inferredRestoreAt }: { phase?: Feed['phase']; inferredRestoreAt?: string } = {},
) {
  const shown = { ...observed, place: { ...observed.place, inferredRestoreAt } };
  return diff(state, shown, { feed: { phase }, longAgo: timeAt(-1) });
}

/** The state of the floorplan after a version was observed. */
export function stateAt(second: number, fields: JsonObject = {}): EntityState {
  const found = compare(undefined, observedAt(second, fields), { phase: 'baseline' });
  if (found === undefined) throw new Error('nothing was saved');
  return found.state;
}
