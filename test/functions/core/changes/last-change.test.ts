import { expect, it } from 'vitest';
import { lastChange } from '../../../../functions/core/changes/last-change.ts';
import { identityOf } from '../../../../functions/core/changes/place.ts';
import { encodeEvent } from '../../../../functions/core/model/entity-state.ts';
import { makeCatalog } from '../../../../functions/core/model/resource-catalog.ts';
import { timeAt } from '../../../support/list-service.ts';
import { deletedAt } from '../../../support/site.ts';
import { identity, stateAt } from './floorplan.ts';

it('a change of more fields than can be kept counts for all, but for id and version', () => {
  const state = { ...stateAt(5), event: encodeEvent({ action: 'updated' }) };
  expect(lastChange(state, identity)?.changed).toEqual(['deleted_at', 'name']);
});

it('a silent baseline has no last change', () => {
  expect(lastChange(stateAt(5), identity)).toBeUndefined();
});

it('only a delete has the time of the delete', () => {
  const at = (action: 'deleted' | 'updated') => {
    const event = encodeEvent({ action, changed: [] });
    return lastChange({ ...stateAt(5, deletedAt(4)), event }, identity)?.time;
  };
  expect([at('deleted'), at('updated')]).toEqual([timeAt(4), timeAt(5)]);
});

it.each([
  ['another#f', undefined],
  ['another#f#s', undefined],
  ['floorplan#f', { id: 'f', path: '/projects/p/floorplans' }],
  ['sheet#f#s', { id: 's', path: '/projects/p/floorplans/f/sheets' }],
])('the key %s in a list of floorplans stands for %j', (key, expected) => {
  const [floorplans] = makeCatalog().perProject;
  const found = floorplans && identityOf(key, { id: 'projects/p/floorplans' }, floorplans);
  expect(found && { id: found.id, path: found.place.path }).toEqual(expected);
});
