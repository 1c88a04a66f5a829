import { beforeEach, describe, expect, it } from 'vitest';
import type { ChangeEvent, ClaimCheckEvent } from '../../functions/core/contract/events.ts';
import { type EventTopic } from '../../functions/core/ports/event-topic.ts';
import { eventOf, noise } from '../support/samples.ts';

/** A topic that takes at most 256 KiB a message, and a look at what it accepted. */
export interface OpenTopic {
  readonly topic: EventTopic;
  /** The events accepted since the last call. */
  readonly accepted: () => Promise<(ChangeEvent | ClaimCheckEvent)[]>;
  /** The event that its claim check stores at an address. */
  readonly read: (dataref: string) => Promise<ChangeEvent>;
}

/** The contract of every {@link EventTopic}. */
export function describeEventTopic(name: string, open: () => Promise<OpenTopic>): void {
  describe(`${name} as an event topic`, () => {
    let topic: EventTopic;
    let accepted: OpenTopic['accepted'];
    let read: OpenTopic['read'];

    beforeEach(async () => {
      ({ topic, accepted, read } = await open());
    });

    it('an event arrives as it was given', async () => {
      const event = eventOf('a', {
        object: { id: 'a', name: 'Größe „12" 🏗 \ufffe \u0000', tags: [], deep: [{ x: null }] },
        previous: { name: '' },
      });
      expect(await topic.publish([event])).toEqual([]);
      expect(await accepted()).toEqual([event]);
    });

    it('of a whole page of events each arrives once', async () => {
      const events = Array.from({ length: 333 }, (_, i) => eventOf(`id-${i}`));
      expect(await topic.publish(events)).toEqual([]);
      expect(byId(await accepted())).toEqual(byId(events));
    });

    it('large events arrive, whatever their sum', async () => {
      const events = Array.from({ length: 12 }, (_, i) =>
        eventOf(`id-${i}`, { object: { drawing: noise(100_000) } }),
      );
      expect(await topic.publish(events)).toEqual([]);
      expect(byId(await accepted())).toEqual(byId(events));
    });

    it('of an event over the limit a claim check arrives, and the whole event is stored', async () => {
      const large = eventOf('large', { object: { drawing: 'ü \ufffe'.repeat(70_000) } });
      expect(await topic.publish([eventOf('a'), large, eventOf('b')])).toEqual([]);
      const [reference, ...others] = (await accepted()).sort((a) => ('dataref' in a ? -1 : 1));
      expect(byId(others)).toEqual(byId([eventOf('a'), eventOf('b')]));
      const { data, ...attributes } = large;
      const dataref = expect.stringMatching(new RegExp(`/${large.id}\\.json$`)) as string;
      expect(reference).toEqual({ ...attributes, dataref });
      expect(Object.keys(reference ?? {})).toEqual([...Object.keys(attributes), 'dataref']);
      const kept = await read((reference as ClaimCheckEvent).dataref);
      expect(kept).toEqual(large);
      expect(kept.data).toEqual(data);
    });

    it('an event over the limit that is published again for another cause leaves its stored text', async () => {
      const object = { drawing: 'x'.repeat(300_000) };
      const first = eventOf('large', { object });
      const { previous: _, ...data } = first.data;
      const again = ['replay', 'reconcile'].map((cause): ChangeEvent => ({
        ...first,
        cause,
        data,
      }));
      const events = [first, ...again];
      for (const event of events) expect(await topic.publish([event])).toEqual([]);
      const references = (await accepted()) as ClaimCheckEvent[];
      expect(references[0]?.cause).toBe('poll');
      for (const { cause, dataref } of references)
        expect(await read(dataref)).toEqual(events.find((event) => event.cause === cause));
    });

    it('an event over the limit even without its data is refused with its size and the limit', async () => {
      const tooLarge = { ...eventOf('large'), accountid: 'ü'.repeat(140_000) };
      const refused = await topic.publish([eventOf('a'), tooLarge, eventOf('b')]);
      expect(refused).toEqual([
        { event: tooLarge, reason: expect.stringMatching(/\d{6} bytes.*262144/) as string },
      ]);
      expect(byId(await accepted())).toEqual(byId([eventOf('a'), eventOf('b')]));
    });
  });
}

function byId<T extends { readonly id: string }>(events: readonly T[]): T[] {
  return [...events].sort((a, b) => (a.id < b.id ? -1 : 1));
}
