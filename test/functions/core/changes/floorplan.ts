import { diff } from '../../../../functions/core/changes/diff.ts';
import { observe, type ObservedEntity } from '../../../../functions/core/changes/observe.ts';
import type { EntityState } from '../../../../functions/core/model/entity-state.ts';
import type { JsonObject } from '../../../../functions/core/model/entity.ts';
import { timeAt } from '../../../support/list-service.ts';

/** The floorplan of these tests. */
export const identity = {
  key: 'floorplan#f',
  entity: 'floorplan',
  id: 'f',
  subject: '/projects/p/floorplans/f',
};

/** The floorplan as observed with a version. */
export function observedAt(second: number, fields: JsonObject = {}): ObservedEntity {
  const shown = { id: 'f', updated_at: timeAt(second), deleted_at: null, name: 'L1', ...fields };
  return observe(identity, shown);
}

/** The state of the floorplan after a version was observed. */
export function stateAt(second: number, fields: JsonObject = {}): EntityState {
  const { state } = diff(undefined, observedAt(second, fields), { isSilent: true });
  if (state === undefined) throw new Error('nothing was saved');
  return state;
}
