import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { OperatedStore } from '../../../functions/control/ports.ts';
import {
  childPrefix,
  encodeEvent,
  entityKey,
  type EntityState,
} from '../../../functions/core/model/entity-state.ts';
import { fieldDigests } from '../../../functions/core/model/json/digest.ts';
import { anyCharacter, anyOf, timestamp } from '../../support/arbitraries.ts';
import { stateOf, noise, readState } from '../../support/samples.ts';

const FEED_ID = 'projects/p1/floorplans';

/** Entity states of a {@link OperatedStore}. */
export function describeEntityStates(open: () => Promise<OperatedStore>): void {
  let store: OperatedStore;

  beforeEach(async () => {
    store = await open();
  });

  describe('entity states', () => {
    it('are absent unless saved', async () => {
      await store.saveStates(FEED_ID, [stateOf('a')]);
      const found = await store.loadStates(FEED_ID, [stateOf('a').key, stateOf('b').key]);
      expect([...found.keys()]).toEqual([stateOf('a').key]);
    });
    it('are loaded with every field as it was saved, but without their expiry', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(anyState, { minLength: 1, maxLength: 10 }), async (drawn) => {
          const states = drawn.map((entity, i) => ({ ...entity, key: `floorplan#${i}` }));
          await store.saveStates(FEED_ID, states);
          const found = await store.loadStates(
            FEED_ID,
            states.map(({ key }) => key),
          );
          for (const entity of states) expectSame(found.get(entity.key), entity);
        }),
        { numRuns: 30 },
      );
    });
    it('are saved and loaded by the hundred', async () => {
      const states = Array.from({ length: 330 }, (_, i) => stateOf(`id-${i}`));
      await store.saveStates(FEED_ID, states);
      const found = await store.loadStates(
        FEED_ID,
        states.map(({ key }) => key),
      );
      expect(found.size).toBe(330);
      const last = found.get(entityKey('floorplan', 'id-329'));
      expect(readState(last)).toEqual(readState(stateOf('id-329')));
    });
    it('are saved from the last of two with the same key', async () => {
      const [first, last] = [stateOf('a'), { ...stateOf('a'), deleted: true }];
      await store.saveStates(FEED_ID, [first, stateOf('b'), last]);
      const found = await store.loadStates(FEED_ID, [last.key]);
      expect(readState(found.get(last.key))).toEqual(readState(last));
    });

    it('are replaced entirely by a later save', async () => {
      const before: EntityState = {
        ...stateOf('a'),
        deleted: true,
        inferred: '2024-01-01T00:00:00.000Z',
        nested: { items: '0' },
      };
      const { content, ...after } = stateOf('a');
      await store.saveStates(FEED_ID, [before]);
      await store.saveStates(FEED_ID, [after]);
      expect((await store.loadStates(FEED_ID, [after.key])).get(after.key)).toEqual(after);
    });

    it('belong to one feed', async () => {
      await store.saveStates(FEED_ID, [stateOf('a')]);
      expect(await store.loadStates('projects/p2/floorplans', [stateOf('a').key])).toEqual(
        new Map(),
      );
      expect(await store.loadLiveChildren('projects/p2/floorplans', 'floorplan#')).toEqual([]);
    });

    it('keep digests of the fields when the content is too large', async () => {
      const content = { id: 'a', name: 'North', drawing: noise(900_000) };
      const state: EntityState = {
        ...stateOf('a'),
        content: () => content,
        nested: { sheets: '0123' },
      };
      await store.saveStates(FEED_ID, [state, stateOf('b')]);
      const found = await store.loadStates(FEED_ID, [state.key, stateOf('b').key]);
      const digested = { ...state, content: undefined, digests: fieldDigests(content) };
      expect(found.get(state.key)).toEqual(digested);
      expect(readState(found.get(stateOf('b').key))).toEqual(readState(stateOf('b')));
    });

    it('keep version and deletion when even the digests are too large', async () => {
      const names = longNames(6_000);
      const content = Object.fromEntries(names.map((field) => [field, null]));
      const state: EntityState = { ...stateOf('a'), deleted: true, content: () => content };
      await store.saveStates(FEED_ID, [state]);
      const found = await store.loadStates(FEED_ID, [state.key]);
      expect(found.get(state.key)).toEqual({ ...state, content: undefined });
    });
    it('lose old values first, and keep the names of changed fields as long as they fit', async () => {
      const changed = longNames(3_000);
      const content = () => ({ id: 'a' });
      const event = encodeEvent({ action: 'updated', changed });
      const previous = Object.fromEntries(changed.map((name) => [name, name]));
      const state: EntityState = { ...stateOf('a'), content, event, unpublished: { previous } };
      await store.saveStates(FEED_ID, [state]);
      const found = (await store.loadStates(FEED_ID, [state.key])).get(state.key);
      expect(found).toMatchObject({ event, unpublished: {} });
      expect(found?.unpublished).not.toHaveProperty('previous');
      expect(found?.content?.()).toEqual(content());
    });

    it('are all found part by part, in the order of their keys', async () => {
      const ids = Array.from({ length: 30 }, (_, i) => String(i).padStart(2, '0'));
      const large = (id: string): EntityState => ({
        ...stateOf(id),
        content: () => ({ drawing: noise(60_000, Number(id)) }),
      });
      await store.saveStates(FEED_ID, ids.toReversed().map(large));
      await store.saveStates('projects/p10/floorplans', [stateOf('other')]);
      const keys: string[] = [];
      let after: string | undefined;
      let pageCount = 0;
      do {
        const page = await store.loadStatesAfter(FEED_ID, after);
        keys.push(...page.states.map(({ key }) => key));
        after = page.next;
        pageCount += 1;
      } while (after !== undefined);
      expect(keys).toEqual(ids.map((id) => stateOf(id).key));
      expect(pageCount).toBeGreaterThan(1);
      expect(await store.loadStatesAfter('projects/none/floorplans')).toEqual({ states: [] });
    });
  });

  describe('live children', () => {
    const child = (parent: string, id: string, fields?: Partial<EntityState>): EntityState => ({
      ...stateOf(id),
      ...fields,
      key: entityKey('template_check_item', id, parent),
    });
    const versionOf = ({ key, version }: EntityState, isUnpublished = false) => ({
      key,
      version,
      isUnpublished,
    });

    it('are those of one parent that are not deleted, and those that are unpublished', async () => {
      const gone = child('c1', 'i3', { deleted: true, unpublished: {} });
      await store.saveStates(FEED_ID, [
        child('c1', 'i1'),
        child('c1', 'i2', { deleted: true }),
        gone,
        child('c10', 'i4'),
        child('c2', 'i5'),
        { ...stateOf('c1'), key: entityKey('template_checklist', 'c1') },
      ]);
      const found = await store.loadLiveChildren(FEED_ID, childPrefix('template_check_item', 'c1'));
      expect(byKey(found)).toEqual([versionOf(child('c1', 'i1')), versionOf(gone, true)]);
    });

    it('are complete beyond one response of the table', async () => {
      const states = Array.from({ length: 48 }, (_, i): EntityState => ({
        ...stateOf(String(i).padStart(2, '0')),
        content: () => ({ drawing: noise(60_000, i) }),
      }));
      await store.saveStates(FEED_ID, states);
      const found = await store.loadLiveChildren(FEED_ID, 'floorplan#');
      expect(byKey(found)).toEqual(states.map((state) => versionOf(state)));
      const pages = await Array.fromAsync(store.liveVersions(FEED_ID, 'floorplan#'));
      expect(pages.length).toBeGreaterThan(1);
      expect(pages.flat()).toEqual(states.map((state) => versionOf(state)));
    });
  });
}

/** Different names of a hundred characters. */
function longNames(count: number): string[] {
  const text = noise(100 * count);
  return Array.from({ length: count }, (_, i) => text.slice(100 * i, 100 * (i + 1)));
}

const digests = fc.dictionary(fc.string({ maxLength: 8 }), fc.constant('0123456789abcdef'));
const content = fc.dictionary(
  fc.string({ unit: anyCharacter, maxLength: 8 }),
  fc.jsonValue({ stringUnit: anyCharacter }),
);

const anyState = anyOf<EntityState>(
  {
    key: fc.constant(''),
    version: timestamp,
    sequence: timestamp,
    deleted: fc.boolean(),
    event: fc
      .array(fc.string({ unit: anyCharacter }))
      .map((names) => JSON.stringify(['u', ...names])),
    inferred: timestamp,
    // In whole seconds, as the table keeps it.
    expiresAt: fc.nat().map((seconds) => seconds * 1000),
    nested: digests,
    unpublished: anyOf<NonNullable<EntityState['unpublished']>>({ previous: content }, []),
    content: content.map((value) => () => value),
    digests,
  },
  ['key', 'version', 'sequence', 'deleted'],
);

/** Compares content as JSON text too: matchers overlook a field named `__proto__` and `-0`. */
function expectSame(actual: EntityState | undefined, expected: EntityState): void {
  expect(JSON.stringify(actual?.content?.())).toBe(JSON.stringify(expected.content?.()));
  expect(JSON.stringify(actual?.unpublished)).toBe(JSON.stringify(expected.unpublished));
  const others = { content: undefined, unpublished: undefined };
  expect({ ...actual, ...others }).toEqual({ ...expected, ...others, expiresAt: undefined });
}

function byKey<T extends { readonly key: string }>(states: readonly T[]): T[] {
  return [...states].sort((a, b) => (a.key < b.key ? -1 : 1));
}
