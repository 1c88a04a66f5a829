import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { fieldDigests } from '../../../functions/core/model/digest.ts';
import type { JsonObject } from '../../../functions/core/model/entity.ts';
import {
  childPrefix,
  entityKey,
  type PendingEvent,
  type EntityState,
} from '../../../functions/core/model/entity-state.ts';
import { anyOf, timestamp } from '../../support/arbitraries.ts';
import { endedPermit, knownOf, noise, readState } from '../../support/samples.ts';
import { type StateStore } from '../../../functions/core/ports/state-store.ts';

const FEED_ID = 'projects/p1/floorplans';

/** What a {@link StateStore} must do with what is known of entities. */
export function describeKnown(open: () => Promise<StateStore>): void {
  let store: StateStore;

  beforeEach(async () => {
    store = await open();
  });

  describe('known entities', () => {
    test('what was never saved is absent', async () => {
      await store.saveStates(FEED_ID, [knownOf('a')]);
      const found = await store.loadStates(FEED_ID, [knownOf('a').key, knownOf('b').key]);
      expect([...found.keys()]).toEqual([knownOf('a').key]);
    });

    test('asking for nothing gives nothing, saving nothing is fine', async () => {
      await store.saveStates(FEED_ID, []);
      expect(await store.loadStates(FEED_ID, [])).toEqual(new Map());
    });

    test('every field of a known entity comes back as it was', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(anyKnown, { minLength: 1, maxLength: 10 }), async (drawn) => {
          const known = drawn.map((entity, i) => ({ ...entity, key: `floorplan#${i}` }));
          await store.saveStates(FEED_ID, known);
          const found = await store.loadStates(
            FEED_ID,
            known.map(({ key }) => key),
          );
          for (const entity of known) expectSame(found.get(entity.key), entity);
        }),
        { numRuns: 60 },
      );
    });

    test('fields named like parts of JavaScript come back as they were', async () => {
      const content = JSON.parse(
        '{"__proto__":{"x":1},"constructor":"c","toString":null,"":"","deep":{"__proto__":[]}}',
      ) as JsonObject;
      const known: EntityState = { ...knownOf('a'), content: () => content };
      await store.saveStates(FEED_ID, [known]);
      expectSame((await store.loadStates(FEED_ID, [known.key])).get(known.key), known);
    });

    test('content of several KB comes back as it was', async () => {
      const known: EntityState = {
        ...knownOf('a'),
        content: () => ({ id: 'a', notes: 'größer 🏗 '.repeat(9_000) }),
      };
      await store.saveStates(FEED_ID, [known]);
      expectSame((await store.loadStates(FEED_ID, [known.key])).get(known.key), known);
    });

    test('a page of 1,000 entities is saved and loaded whole', async () => {
      const known = Array.from({ length: 1_000 }, (_, i) => knownOf(`id-${i}`));
      await store.saveStates(FEED_ID, known);
      const found = await store.loadStates(
        FEED_ID,
        known.map(({ key }) => key),
      );
      expect(found.size).toBe(1_000);
      const last = found.get(entityKey('floorplan', 'id-999'));
      expect(readState(last)).toEqual(readState(knownOf('id-999')));
    });

    test('a key asked for twice is answered once', async () => {
      const known = knownOf('a');
      await store.saveStates(FEED_ID, [known]);
      const found = await store.loadStates(FEED_ID, [known.key, known.key]);
      expect([...found.values()].map(readState)).toEqual([readState(known)]);
    });

    test('of one key saved twice in a call the last one counts', async () => {
      const [first, last] = [knownOf('a'), { ...knownOf('a'), deleted: true }];
      await store.saveStates(FEED_ID, [first, knownOf('b'), last]);
      const found = await store.loadStates(FEED_ID, [last.key]);
      expect(readState(found.get(last.key))).toEqual(readState(last));
    });

    test('a later save replaces all of what was there', async () => {
      const before: EntityState = {
        ...knownOf('a'),
        deleted: true,
        missing: true,
        nested: { items: '0' },
      };
      const { content, ...after } = knownOf('a');
      await store.saveStates(FEED_ID, [before]);
      await store.saveStates(FEED_ID, [after]);
      expect((await store.loadStates(FEED_ID, [after.key])).get(after.key)).toEqual(after);
    });

    test('feeds do not see what is known of each other', async () => {
      await store.saveStates(FEED_ID, [knownOf('a')]);
      expect(await store.loadStates('projects/p2/floorplans', [knownOf('a').key])).toEqual(
        new Map(),
      );
      expect(await store.loadChildStates('projects/p2/floorplans', 'floorplan#')).toEqual([]);
    });

    test('content that is too large to keep gives way to digests of its fields', async () => {
      const content = { id: 'a', name: 'North', drawing: noise(900_000) };
      const known: EntityState = {
        ...knownOf('a'),
        content: () => content,
        nested: { sheets: '0123' },
      };
      await store.saveStates(FEED_ID, [known, knownOf('b')]);
      const found = await store.loadStates(FEED_ID, [known.key, knownOf('b').key]);
      const digested = { ...known, content: undefined, digests: fieldDigests(content) };
      expect(found.get(known.key)).toEqual(digested);
      expect(readState(found.get(knownOf('b').key))).toEqual(readState(knownOf('b')));
    });

    test('version and deletion are kept even when the digests are too large to keep', async () => {
      const names = Array.from({ length: 30_000 }, (_, i) => noise(24, i));
      const content = Object.fromEntries(names.map((field) => [field, null]));
      const known: EntityState = { ...knownOf('a'), deleted: true, content: () => content };
      await store.saveStates(FEED_ID, [known]);
      const found = await store.loadStates(FEED_ID, [known.key]);
      expect(found.get(known.key)).toEqual({ ...known, content: undefined });
    });

    test('nothing is saved without a permit that holds, and its loss is told', async () => {
      const { guard, loss } = endedPermit();
      await expect(store.saveStates(FEED_ID, [knownOf('1')], guard)).rejects.toBe(loss);
      expect(await store.loadStates(FEED_ID, [knownOf('1').key])).toEqual(new Map());
    });

    test('nobody shares an object with the store', async () => {
      const content = { id: 'a', tags: ['one'] };
      const known: EntityState = { ...knownOf('a'), content: () => content };
      await store.saveStates(FEED_ID, [known]);
      content.tags.push('two');
      const first = (await store.loadStates(FEED_ID, [known.key])).get(known.key);
      expect(first?.content?.()).toEqual({ id: 'a', tags: ['one'] });
      (first?.content?.()['tags'] as string[]).push('three');
      const second = (await store.loadStates(FEED_ID, [known.key])).get(known.key);
      expect(second?.content?.()).toEqual({ id: 'a', tags: ['one'] });
    });
  });

  describe('known entities by prefix', () => {
    test('gives the children of one parent and nobody else', async () => {
      const child = (parent: string, id: string): EntityState => ({
        ...knownOf(id),
        key: entityKey('template_check_item', id, parent),
      });
      await store.saveStates(FEED_ID, [
        child('c1', 'i1'),
        child('c1', 'i2'),
        child('c10', 'i3'),
        child('c2', 'i4'),
        { ...knownOf('c1'), key: entityKey('template_checklist', 'c1') },
      ]);
      const found = await store.loadChildStates(FEED_ID, childPrefix('template_check_item', 'c1'));
      const children = [child('c1', 'i1'), child('c1', 'i2')];
      expect(byKey(found).map(readState)).toEqual(children.map(readState));
    });

    test('gives all of them when they are more than one answer of the table holds', async () => {
      const known = Array.from({ length: 60 }, (_, i): EntityState => ({
        ...knownOf(String(i).padStart(2, '0')),
        content: () => ({ drawing: noise(60_000, i) }),
      }));
      await store.saveStates(FEED_ID, known);
      const found = await store.loadChildStates(FEED_ID, 'floorplan#');
      expect(byKey(found).map(({ key }) => key)).toEqual(known.map(({ key }) => key));
      expect(readState(byKey(found).at(-1))).toEqual(readState(known.at(-1)));
    });
  });
}

const digests = fc.dictionary(fc.string({ maxLength: 8 }), fc.constant('0123456789abcdef'));
const content = fc.dictionary(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.jsonValue({ stringUnit: 'binary' }),
);

const anyKnown = anyOf<EntityState>(
  {
    key: fc.constant(''),
    version: timestamp,
    sequence: timestamp,
    deleted: fc.boolean(),
    missing: fc.boolean(),
    nested: digests,
    pendingEvent: anyOf<PendingEvent>(
      {
        action: fc.constantFrom('created', 'updated', 'deleted', 'restored'),
        changed: fc.array(fc.string()),
        previous: content,
      },
      ['action', 'changed'],
    ),
    content: content.map((value) => () => value),
    digests,
  },
  ['key', 'version', 'sequence', 'deleted'],
);

/** Compares content as JSON text too: matchers overlook a field named `__proto__` and `-0`. */
function expectSame(actual: EntityState | undefined, expected: EntityState): void {
  expect(JSON.stringify(actual?.content?.())).toBe(JSON.stringify(expected.content?.()));
  expect(JSON.stringify(actual?.pendingEvent)).toBe(JSON.stringify(expected.pendingEvent));
  const others = { content: undefined, pendingEvent: undefined };
  expect({ ...actual, ...others }).toEqual({ ...expected, ...others });
}

function byKey(known: readonly EntityState[]): EntityState[] {
  return [...known].sort((a, b) => (a.key < b.key ? -1 : 1));
}
