import { describe, expect, it } from 'vitest';
import {
  boundaryDigest,
  skipBoundary,
  type ObservedPage,
} from '../../../../functions/core/changes/boundary-digest.ts';
import { nestedLists } from '../../../../functions/core/changes/nested-lists.ts';
import { observe } from '../../../../functions/core/changes/observed-entity.ts';
import type { InvalidEntity } from '../../../../functions/core/model/entity.ts';
import { makeCatalog } from '../../../../functions/core/model/resource-catalog.ts';
import { timeAt } from '../../../support/list-service.ts';
import { feedOf } from '../../../support/samples.ts';

const { projects, perProject } = makeCatalog();
const [floorplans = projects] = perProject;

function entityAt(second: number, id = `e${second}`, fields: object = {}) {
  const subject = `/floorplans/${id}`;
  const entity = { id, updated_at: timeAt(second), ...fields };
  const identity = { key: `floorplan#${id}`, entity: 'floorplan', id, subject };
  return observe(identity, entity, nestedLists(floorplans, entity, subject));
}

const invalid = (value: unknown): InvalidEntity => ({ value, reason: 'no id' });
const invalidAt = (second: number) => invalid({ updated_at: timeAt(second) });
const timeless = [invalid(null), invalid('text'), invalid({ name: 'no time' })];

/** A page of a list that is caught up at second 2. */
const caughtUp: ObservedPage = {
  entities: [entityAt(2, 'a'), entityAt(2, 'b')],
  invalid: [invalidAt(2), ...timeless],
};
const boundary = boundaryDigest(caughtUp, timeAt(2)) ?? '';
const feed = feedOf({ projectId: 'p', cursor: timeAt(2), boundary });

function pageWith(
  entities: ObservedPage['entities'],
  others: ObservedPage['invalid'] = [],
): ObservedPage {
  return {
    entities: [...entities, ...caughtUp.entities],
    invalid: [...others, ...caughtUp.invalid],
  };
}

describe('boundaryDigest', () => {
  it('covers entities at the cursor and invalid entities without a time', () => {
    expect(boundaryDigest(pageWith([entityAt(1)], [invalidAt(1)]), timeAt(2))).toBe(boundary);
    expect(boundaryDigest(pageWith([entityAt(3)], [invalidAt(3)]), timeAt(2))).toBe(boundary);
  });

  it.each([
    ['an entity', pageWith([entityAt(2, 'c')])],
    ['an invalid entity without a time', pageWith([], [invalid('other')])],
    ['an invalid entity at the cursor', pageWith([], [invalidAt(2)])],
  ])('differs with %s more', (_, page) => {
    expect(boundaryDigest(page, timeAt(2))).not.toBe(boundary);
  });

  it('differs when a nested list differs', () => {
    const digestWith = (current_sheet: object | null) =>
      boundaryDigest({ entities: [entityAt(2, 'a', { current_sheet })], invalid: [] }, timeAt(2));
    expect(digestWith(null)).not.toBe(digestWith({ id: 's', updated_at: timeAt(1) }));
  });

  it('does not depend on the order of the page', () => {
    const { entities, invalid } = caughtUp;
    const reversed = { entities: entities.toReversed(), invalid: invalid.toReversed() };
    expect(boundaryDigest(reversed, timeAt(2))).toBe(boundary);
  });

  it('is undefined when nothing lies at the cursor', () => {
    const page = { entities: [entityAt(1)], invalid: [invalidAt(1)] };
    expect(boundaryDigest(page, timeAt(2))).toBeUndefined();
  });

  it('is defined with as many entities as invalid entities', () => {
    const page = { entities: [entityAt(2)], invalid: [invalidAt(2)] };
    expect(boundaryDigest(page, timeAt(2))).toBeDefined();
  });
});

describe('skipBoundary', () => {
  it('leaves the later entities when the boundary is unchanged', () => {
    expect(skipBoundary(caughtUp, feed)).toEqual({ entities: [], invalid: [] });
    const later = { entities: [entityAt(3)], invalid: [invalidAt(3)] };
    expect(skipBoundary(pageWith(later.entities, later.invalid), feed)).toEqual(later);
  });

  it.each([
    ['a late entity appeared', pageWith([entityAt(1)])],
    ['an entity appeared at the cursor', pageWith([entityAt(2, 'c'), entityAt(3)])],
    ['an invalid entity without a time appeared', pageWith([entityAt(3)], [invalid(7)])],
    ['an entity is gone', { ...caughtUp, entities: [entityAt(2, 'a')] }],
  ])('leaves the whole page when %s', (_, page) => {
    expect(skipBoundary(page, feed)).toEqual(page);
  });

  it('leaves the whole page when the feed has no boundary', () => {
    const { boundary: _, ...withoutBoundary } = feed;
    const { cursor: __, ...fresh } = withoutBoundary;
    for (const before of [withoutBoundary, fresh]) {
      expect(skipBoundary(caughtUp, before)).toEqual(caughtUp);
    }
  });
});
