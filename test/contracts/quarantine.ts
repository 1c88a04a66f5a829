import { beforeEach, describe, expect, it } from 'vitest';
import type { QuarantineOperations } from '../../functions/control/ports.ts';
import type { Quarantine, QuarantinedItem } from '../../functions/core/ports/quarantine.ts';

type OpenQuarantine = Quarantine & QuarantineOperations;

const FEED = 'projects/p1/floorplans';

/** The contract of every {@link Quarantine}, and of what operators do with it. */
export function describeQuarantine(name: string, open: () => Promise<OpenQuarantine>): void {
  describe(`${name} as a quarantine`, () => {
    let quarantine: OpenQuarantine;

    beforeEach(async () => {
      quarantine = await open();
    });

    const valuesOf = async () => {
      const items = await quarantine.list();
      return Promise.all(items.map(({ subject }) => quarantine.loadValue(subject)));
    };

    it('an item is kept with all that is known of it', async () => {
      const item = itemOf({ name: 'North', deep: [{ x: null }] }, { listedAt: time(1) });
      expect(await quarantine.put([item])).toEqual([item]);
      const { value, ...kept } = item;
      expect(await quarantine.list()).toEqual([
        { ...kept, quarantinedAt: expect.any(Number) as number },
      ]);
      expect(await quarantine.loadValue(item.subject)).toEqual(value);
    });

    it.each([
      ['a text', 'just text'],
      ['null', null],
      ['a list', [1, [], 'x']],
      ['more than an item of the table can hold', 'x'.repeat(500_000)],
    ])('%s can be quarantined', async (_, value) => {
      await quarantine.put([itemOf(value)]);
      expect(await valuesOf()).toEqual([value]);
    });

    it('a later version of an entity replaces the one before', async () => {
      await quarantine.put([itemOf('first', { version: time(1) })]);
      const second = itemOf('second', { version: time(2), reason: 'another' });
      expect(await quarantine.put([second])).toEqual([second]);
      expect(await quarantine.list()).toMatchObject([{ version: time(2), reason: 'another' }]);
      expect(await valuesOf()).toEqual(['second']);
    });

    it.each([
      ['the same', time(2)],
      ['an older one', time(1)],
    ])('%s changes nothing, and is not new', async (_, version) => {
      await quarantine.put([itemOf('kept', { version: time(2) })]);
      expect(await quarantine.put([itemOf('not kept', { version })])).toEqual([]);
      expect(await valuesOf()).toEqual(['kept']);
    });

    it('of one entity twice at once the later version is kept', async () => {
      const late = itemOf('late', { version: time(2) });
      const early = itemOf('early', { version: time(1) });
      expect(await quarantine.put([late, early, late])).toEqual([late]);
      expect(await valuesOf()).toEqual(['late']);
    });

    it('of many items each is kept once', async () => {
      const items = Array.from({ length: 230 }, (_, i) => itemOf(i, { subject: `/${FEED}/${i}` }));
      expect(await quarantine.put(items)).toHaveLength(230);
      expect(await quarantine.put(items)).toEqual([]);
      const subjects = (await quarantine.list()).map(({ subject }) => subject);
      expect(subjects).toEqual(items.map(({ subject }) => subject).sort());
    });

    it('an item that is deleted is new when it comes back', async () => {
      const item = itemOf('back');
      await quarantine.put([item]);
      await quarantine.delete([item.subject, '/absent']);
      expect(await quarantine.list()).toEqual([]);
      expect(await quarantine.put([item])).toEqual([item]);
    });
  });
}

const time = (second: number): string => `2026-01-01T00:00:0${second}.000000000Z`;

function itemOf(value: unknown, fields: Partial<QuarantinedItem> = {}): QuarantinedItem {
  const subject = `/${FEED}/f`;
  return { subject, feed: FEED, kind: 'entity', version: '', reason: 'no', value, ...fields };
}
