import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Collection, type Row } from '../../../../../infra/local/simulator/world/collection.ts';

const row = fc.record({
  id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
  updated_at: fc.constantFrom('1', '2', '3', '4'),
  deleted_at: fc.constantFrom(null, '1'),
});

/** The rows in order, the plain way. */
function sorted(rows: ReadonlyMap<string, Row>): Row[] {
  const key = ({ updated_at, id }: Row) => updated_at + id;
  return [...rows.values()].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

it('a collection is in order and complete after any changes', () => {
  fc.assert(
    fc.property(fc.array(row), (changes) => {
      const collection = new Collection<Row>(() => 0);
      const rows = new Map<string, Row>();
      for (const change of changes) {
        collection.put(change);
        rows.set(change.id, change);
        expect(collection.all()).toEqual(sorted(rows));
        expect(collection.get(change.id)).toEqual(change);
      }
      expect(collection.size).toBe(rows.size);
      expect(collection.alive).toBe(sorted(rows).filter((r) => r.deleted_at === null).length);
    }),
  );
});

it('a slice starts after its time, or at it, and says whether there is more', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(row, { selector: ({ id }) => id }),
      fc.constantFrom(undefined, '0', '1', '2', '3', '4', '5'),
      fc.boolean(),
      fc.integer({ min: 1, max: 7 }),
      (rows, after, inclusive, limit) => {
        const collection = new Collection<Row>(() => 0);
        for (const one of rows) collection.put(one);
        const wanted = collection
          .all()
          .filter(
            ({ updated_at }) =>
              after === undefined || updated_at > after || (inclusive && updated_at === after),
          );
        expect(collection.read({ after, inclusive, limit })).toEqual({
          rows: wanted.slice(0, limit),
          hasMore: wanted.length > limit,
        });
      },
    ),
  );
});
