import { expect, it } from 'vitest';
import { withExpiry, type EntityState } from '../../../../functions/core/model/entity-state.ts';
import { stateOf } from '../../../support/samples.ts';

const RETENTION_MS = 1000;
const NOW = Date.parse('2026-03-02T09:00:00.000Z');
const DELETED: EntityState = { ...stateOf('f'), deleted: true };

it.each([
  ['was saved', DELETED, NOW],
  ['is dated, if that is later', { ...DELETED, sequence: '2026-03-02T09:00:05.000Z' }, NOW + 5000],
])('a deleted entity is kept the retention after it %s', (_, state, since) => {
  expect(withExpiry(state, NOW, RETENTION_MS)).toEqual({
    ...state,
    expiresAt: since + RETENTION_MS,
  });
});

it.each<[string, EntityState]>([
  ['is not deleted', stateOf('f')],
  ['was deleted by an inference', { ...DELETED, inferred: '2026-03-02T08:00:00.000Z' }],
  ['is unpublished', { ...DELETED, unpublished: {} }],
])('an entity that %s is kept for good', (_, state) => {
  expect(withExpiry(state, NOW, RETENTION_MS)).toBe(state);
});
