import { describe, expect, it } from 'vitest';
import type { ChangeEvent } from '../../../../../functions/core/contract/events.ts';
import {
  isNewer,
  versionOf,
} from '../../../../../functions/core/contract/subscriber/entity-version.ts';
import { eventOf } from '../../../../support/samples.ts';

const updated = eventOf('f');
const withType = (type: string): ChangeEvent => ({ ...updated, type }) as ChangeEvent;
const withDeletedAt = (deletedAt: string | null): ChangeEvent =>
  eventOf('f', { object: { id: 'f', deleted_at: deletedAt } });

describe('the version of an event', () => {
  it('has what a subscriber keeps of it', () => {
    const { source, subject, sequence, data } = updated;
    const { object } = data;
    expect(versionOf(updated)).toEqual({ source, subject, sequence, object, isDeleted: false });
  });

  it.each<[string, ChangeEvent, boolean]>([
    ['by its type', withType('floorplan.deleted'), true],
    ['by its deleted_at, although it is updated', withDeletedAt('2026-03-02T09:00:00Z'), true],
    ['not by a null', withDeletedAt(null), false],
  ])('is that of a deleted entity: %s', (_, event, isDeleted) => {
    expect(versionOf(event).isDeleted).toBe(isDeleted);
  });
});

it('a version replaces one that has a lower sequence, and none', () => {
  const [early, late] = [{ sequence: '2026-03-02' }, { sequence: '2026-03-03' }];
  expect(isNewer(late, early)).toBe(true);
  expect(isNewer(late, late)).toBe(false);
  expect(isNewer(early, late)).toBe(false);
  expect(isNewer(early, undefined)).toBe(true);
  expect(isNewer(early, null)).toBe(true);
});

it.each([
  ['2026-03-02', undefined],
  [{ sequence: '2026-03-02' }, '2026-03-01'],
  [{ sequence: '2026-03-02' }, { sequence: 20_260_301 }],
] as never[][])('what is no version is refused: %j compared with %j', (version, saved) => {
  expect(() => isNewer(version, saved)).toThrow(
    /^The sequence of a version is (undefined|20260301); allowed: a text\./,
  );
});
