import { beforeEach, describe, expect, it } from 'vitest';
import { type Quarantine, type QuarantinedItem } from '../../functions/core/ports/quarantine.ts';

/** A quarantine, and a look at what it keeps. */
export interface OpenQuarantine {
  readonly quarantine: Quarantine;
  /** The items put since the last call. */
  readonly kept: () => Promise<QuarantinedItem[]>;
}

/** The contract of every {@link Quarantine}. */
export function describeQuarantine(name: string, open: () => Promise<OpenQuarantine>): void {
  describe(`${name} as a quarantine`, () => {
    let quarantine: Quarantine;
    let kept: OpenQuarantine['kept'];

    beforeEach(async () => {
      ({ quarantine, kept } = await open());
    });

    it('an item is kept with feed, cursor, reason and value', async () => {
      const item = {
        feed: 'projects/p1/floorplans',
        cursor: '2024-01-01T00:00:00.000Z',
        reason: 'id must be a UUID, got nothing',
        value: { name: 'North', deep: [{ x: null }] },
      };
      await quarantine.put([item]);
      expect(await kept()).toEqual([item]);
    });

    it('an item of the first page has no cursor', async () => {
      await quarantine.put([itemOf('nothing usable')]);
      expect(await kept()).toEqual([itemOf('nothing usable')]);
    });

    it.each([
      ['a text', 'just text'],
      ['an empty text', ''],
      ['null', null],
      ['a number', 42],
      ['a list', [1, [], 'x']],
      ['a text with characters that XML does not know', 'a\u0000b\u001fc\ufffed\uffff'],
      ['a text with half a character', 'a\ud83cb'],
      ['an emoji', '🏗'],
    ])('%s can be quarantined', async (_, value) => {
      await quarantine.put([itemOf(value)]);
      expect(await kept()).toEqual([itemOf(value)]);
    });

    it('putting nothing keeps nothing', async () => {
      await quarantine.put([]);
      expect(await kept()).toEqual([]);
    });

    it('of many items each is kept once', async () => {
      const items = Array.from({ length: 95 }, (_, i) => itemOf(1_000 + i));
      await quarantine.put(items);
      const values = (await kept()).map(({ value }) => value as number);
      expect(values.sort((a, b) => a - b)).toEqual(items.map(({ value }) => value));
    });

    it('large items are kept, whatever their sum', async () => {
      const items = Array.from({ length: 7 }, (_, i) => itemOf(String(i).repeat(100_000)));
      await quarantine.put(items);
      const values = (await kept()).map(({ value }) => value as string);
      expect(values.sort()).toEqual(items.map(({ value }) => value));
    });

    it('the quarantine shares no object with its caller', async () => {
      const value = { tags: ['one'] };
      await quarantine.put([itemOf(value)]);
      value.tags.push('two');
      expect(await kept()).toEqual([itemOf({ tags: ['one'] })]);
    });
  });
}

function itemOf(value: unknown): QuarantinedItem {
  return { feed: 'projects', reason: 'an entity must be an object', value };
}
