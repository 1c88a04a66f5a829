import { describe, expect, it } from 'vitest';
import { boundaryOf, withoutBoundary } from '../../../../functions/core/changes/boundary-digest.ts';
import type { UnusableEntity } from '../../../../functions/core/model/entity.ts';
import { seenFrom, type Seen } from '../../../../functions/core/changes/observed-entity.ts';
import { at } from '../../../support/list-service.ts';
import { feedOf } from '../../../support/samples.ts';

interface Shown {
  readonly entities: readonly { readonly seen: Seen }[];
  readonly unusable: readonly UnusableEntity[];
}

function entityAt(second: number, id = `e${second}`, fields: Partial<Seen> = {}) {
  const identity = {
    key: `floorplan#${id}`,
    entity: 'floorplan',
    id,
    subject: `/floorplans/${id}`,
  };
  return { seen: { ...seenFrom(identity, { id, updated_at: at(second) }), ...fields } };
}

const unusable = (value: unknown): UnusableEntity => ({ value, reason: 'no id' });
const unusableAt = (second: number) => unusable({ updated_at: at(second) });
const timeless = [unusable(null), unusable('text'), unusable({ name: 'no time' })];

/** What a list shows that is settled at second 2. */
const settled: Shown = {
  entities: [entityAt(2, 'a'), entityAt(2, 'b')],
  unusable: [unusableAt(2), ...timeless],
};
const boundary = boundaryOf(settled, at(2)) ?? '';
const feed = feedOf({ projectId: 'p', cursor: at(2), boundary });

/** The same with others beside. */
function beside(entities: Shown['entities'], others: Shown['unusable'] = []): Shown {
  return {
    entities: [...entities, ...settled.entities],
    unusable: [...others, ...settled.unusable],
  };
}

describe('the boundary of a settled list', () => {
  it('is of what lies at the cursor, and of what cannot be worked with and has no time', () => {
    expect(boundaryOf(beside([entityAt(1)], [unusableAt(1)]), at(2))).toBe(boundary);
    expect(boundaryOf(beside([entityAt(3)], [unusableAt(3)]), at(2))).toBe(boundary);
  });

  it.each([
    ['an entity is', beside([entityAt(2, 'c')])],
    ['something that cannot be worked with is', beside([], [unusable('other')])],
    ['something with that time that cannot be worked with is', beside([], [unusableAt(2)])],
  ])('is another when %s there, too', (_, shown) => {
    expect(boundaryOf(shown, at(2))).not.toBe(boundary);
  });

  it('is another when what is nested in an entity is', () => {
    const nestedIn = (items: string) =>
      boundaryOf({ entities: [entityAt(2, 'a', { nested: { items } })], unusable: [] }, at(2));
    expect(nestedIn('old')).not.toBe(nestedIn('new'));
  });

  it('is the same in whatever order the list shows it', () => {
    const { entities, unusable } = settled;
    const turned = { entities: entities.toReversed(), unusable: unusable.toReversed() };
    expect(boundaryOf(turned, at(2))).toBe(boundary);
  });

  it('is nothing where there is nothing', () => {
    expect(boundaryOf({ entities: [entityAt(1)], unusable: [unusableAt(1)] }, at(2))).toBe(
      undefined,
    );
  });

  it('is something where there are as many entities as others', () => {
    const one = { entities: [entityAt(2)], unusable: [unusableAt(2)] };
    expect(boundaryOf(one, at(2))).toBeDefined();
  });
});

describe('a page of a settled list', () => {
  it('comes to what is later than the cursor where the boundary is as it was', () => {
    expect(withoutBoundary(settled, feed)).toEqual({ entities: [], unusable: [] });
    const later = { entities: [entityAt(3)], unusable: [unusableAt(3)] };
    expect(withoutBoundary(beside(later.entities, later.unusable), feed)).toEqual(later);
  });

  it.each([
    ['an entity came late', beside([entityAt(1)])],
    ['an entity came to the cursor', beside([entityAt(2, 'c'), entityAt(3)])],
    ['something came that has no time', beside([entityAt(3)], [unusable(7)])],
    ['something is gone', { ...settled, entities: [entityAt(2, 'a')] }],
  ])('is looked at whole when %s', (_, shown) => {
    expect(withoutBoundary(shown, feed)).toEqual(shown);
  });

  it('is looked at whole where nothing is remembered', () => {
    const { boundary: _, ...forgetful } = feed;
    const { cursor: __, ...fresh } = forgetful;
    for (const before of [forgetful, fresh]) {
      expect(withoutBoundary(settled, before)).toEqual(settled);
    }
  });
});
