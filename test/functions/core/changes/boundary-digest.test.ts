import { describe, expect, it } from 'vitest';
import {
  boundaryDigest,
  skipBoundary,
} from '../../../../functions/core/changes/boundary-digest.ts';
import type { InvalidEntity } from '../../../../functions/core/model/entity.ts';
import {
  observe,
  type ObservedEntity,
} from '../../../../functions/core/changes/observed-entity.ts';
import { at } from '../../../support/list-service.ts';
import { feedOf } from '../../../support/samples.ts';

interface Shown {
  readonly entities: readonly { readonly seen: ObservedEntity }[];
  readonly invalid: readonly InvalidEntity[];
}

function entityAt(second: number, id = `e${second}`, fields: Partial<ObservedEntity> = {}) {
  const identity = {
    key: `floorplan#${id}`,
    entity: 'floorplan',
    id,
    subject: `/floorplans/${id}`,
  };
  return { seen: { ...observe(identity, { id, updated_at: at(second) }), ...fields } };
}

const invalid = (value: unknown): InvalidEntity => ({ value, reason: 'no id' });
const unusableAt = (second: number) => invalid({ updated_at: at(second) });
const timeless = [invalid(null), invalid('text'), invalid({ name: 'no time' })];

/** What a list shows that is settled at second 2. */
const settled: Shown = {
  entities: [entityAt(2, 'a'), entityAt(2, 'b')],
  invalid: [unusableAt(2), ...timeless],
};
const boundary = boundaryDigest(settled, at(2)) ?? '';
const feed = feedOf({ projectId: 'p', cursor: at(2), boundary });

/** The same with others beside. */
function beside(entities: Shown['entities'], others: Shown['invalid'] = []): Shown {
  return {
    entities: [...entities, ...settled.entities],
    invalid: [...others, ...settled.invalid],
  };
}

describe('the boundary of a settled list', () => {
  it('is of what lies at the cursor, and of what cannot be worked with and has no time', () => {
    expect(boundaryDigest(beside([entityAt(1)], [unusableAt(1)]), at(2))).toBe(boundary);
    expect(boundaryDigest(beside([entityAt(3)], [unusableAt(3)]), at(2))).toBe(boundary);
  });

  it.each([
    ['an entity is', beside([entityAt(2, 'c')])],
    ['something that cannot be worked with is', beside([], [invalid('other')])],
    ['something with that time that cannot be worked with is', beside([], [unusableAt(2)])],
  ])('is another when %s there, too', (_, shown) => {
    expect(boundaryDigest(shown, at(2))).not.toBe(boundary);
  });

  it('is another when what is nested in an entity is', () => {
    const nestedIn = (items: string) =>
      boundaryDigest({ entities: [entityAt(2, 'a', { nested: { items } })], invalid: [] }, at(2));
    expect(nestedIn('old')).not.toBe(nestedIn('new'));
  });

  it('is the same in whatever order the list shows it', () => {
    const { entities, invalid } = settled;
    const turned = { entities: entities.toReversed(), invalid: invalid.toReversed() };
    expect(boundaryDigest(turned, at(2))).toBe(boundary);
  });

  it('is nothing where there is nothing', () => {
    expect(boundaryDigest({ entities: [entityAt(1)], invalid: [unusableAt(1)] }, at(2))).toBe(
      undefined,
    );
  });

  it('is something where there are as many entities as others', () => {
    const one = { entities: [entityAt(2)], invalid: [unusableAt(2)] };
    expect(boundaryDigest(one, at(2))).toBeDefined();
  });
});

describe('a page of a settled list', () => {
  it('comes to what is later than the cursor where the boundary is as it was', () => {
    expect(skipBoundary(settled, feed)).toEqual({ entities: [], invalid: [] });
    const later = { entities: [entityAt(3)], invalid: [unusableAt(3)] };
    expect(skipBoundary(beside(later.entities, later.invalid), feed)).toEqual(later);
  });

  it.each([
    ['an entity came late', beside([entityAt(1)])],
    ['an entity came to the cursor', beside([entityAt(2, 'c'), entityAt(3)])],
    ['something came that has no time', beside([entityAt(3)], [invalid(7)])],
    ['something is gone', { ...settled, entities: [entityAt(2, 'a')] }],
  ])('is looked at whole when %s', (_, shown) => {
    expect(skipBoundary(shown, feed)).toEqual(shown);
  });

  it('is looked at whole where nothing is remembered', () => {
    const { boundary: _, ...forgetful } = feed;
    const { cursor: __, ...fresh } = forgetful;
    for (const before of [forgetful, fresh]) {
      expect(skipBoundary(settled, before)).toEqual(settled);
    }
  });
});
