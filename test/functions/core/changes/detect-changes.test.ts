import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  stateFromRecord,
  stateToRecord,
} from '../../../../functions/adapters/dynamodb/entity-state-record.ts';
import { eventBody } from '../../../../functions/adapters/sns/message.ts';
import type { Entity } from '../../../../functions/core/model/entity.ts';
import { keepTexts, objectJson } from '../../../../functions/core/events/serialize-event.ts';
import type { ChangeData, ChangeEvent } from '../../../../functions/core/events/change-event.ts';
import type { EntityState } from '../../../../functions/core/model/entity-state.ts';
import { detectChanges } from '../../../../functions/core/changes/detect-changes.ts';
import { makeCatalog } from '../../../../functions/core/model/resource-catalog.ts';
import { jsonText } from '../../../support/arbitraries.ts';
import { intercept } from '../../../support/intercept.ts';
import { at } from '../../../support/list-service.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { eventOf, feedOf } from '../../../support/samples.ts';
import { floorplansOf, liveSite } from '../../../support/site.ts';

const { projects, perProject } = makeCatalog();
const [floorplans = projects] = perProject;

/** What is published and stored of an entity that a page shows for the first time. */
async function workedOut(json: string) {
  const page = { entities: [JSON.parse(json) as Entity], texts: [json], invalid: [] };
  const { changes, known, texts } = await detectChanges(
    { ...page, hasMore: false },
    feedOf({ projectId: 'p' }),
    floorplans,
    new MemoryStore(),
  );
  const [change, saved] = [changes[0], known.own[0]];
  if (change === undefined || saved === undefined) throw new Error('nothing was worked out');
  const forget = keepTexts(texts);
  const worked = { body: eventBody(eventOf('f', change)), saved, record: stateToRecord(saved, 0) };
  forget();
  return worked;
}

const named = (fields: string) => `{"id":"f","updated_at":"${at(5)}",${fields}}`;

describe('an entity whose JSON came with its page', () => {
  it('is published and stored as it was written', async () => {
    const json = named('"volume":1e3,"size":1.0,"name":"é"');
    const { body, record } = await workedOut(json);
    expect(body).toContain(`"data":{"object":${json},"changed":`);
    expect(record.c).toBe(json);
  });

  it('is published and stored shorter when it has escapes that nobody needs', async () => {
    const { body, record } = await workedOut(named(String.raw`"url":"https:\/\/a.test"`));
    expect(body).toContain(`"object":${named('"url":"https://a.test"')},`);
    expect(record.c).toBe(named('"url":"https://a.test"'));
  });

  it('is published and stored as others would be when it has numbers that may be rounded', async () => {
    const { body, record } = await workedOut(named('"volume":9007199254740993'));
    expect(body).toContain(`"object":${named('"volume":9007199254740992')},`);
    expect(record.c).toBe(named('"volume":9007199254740992'));
  });

  it('is published and stored without the lists that are events of their own', async () => {
    const { body, record } = await workedOut(named('"current_sheet":null,"name":"Level 1"'));
    expect(body).toContain(`"object":${named('"name":"Level 1"')},`);
    expect(record.c).toBe(named('"name":"Level 1"'));
  });

  it('is the same value, in the event and in the store, however it was written', async () => {
    const text = jsonText.object.map((fields) => {
      const members = fields.slice(1, -1).trim();
      return `{${members}${members && ','}"id":"f","updated_at":"${at(5)}","deleted_at":null}`;
    });
    await fc.assert(
      fc.asyncProperty(text, async (json) => {
        const { body, saved, record } = await workedOut(json);
        const { data } = JSON.parse(body) as { readonly data: ChangeData };
        const read = stateFromRecord(saved.key, record).content;
        // Compared as JSON: a number that is too large is null there.
        const expected = JSON.stringify(JSON.parse(json));
        expect(JSON.stringify(data.object)).toBe(expected);
        expect(JSON.stringify(read)).toBe(expected);
        expect(Buffer.from(body).toString()).toBe(body);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the JSON that came with a page', () => {
  it('is kept until the page is saved, and no longer', async () => {
    const site = await liveSite();
    const read = { id: 'f', updated_at: at(20), size: 15 };
    const texts = [JSON.stringify(read).replace('15', '15.0')];
    site.api.put(floorplansOf('p'), read);
    site.api.answerNext(floorplansOf('p'), (page) => ({ ...page, entities: [read], texts }));
    const seen: string[] = [];
    const topic = intercept(site.topic, ({ parameters: [events], proceed }) => {
      for (const { data } of events as ChangeEvent[]) seen.push(objectJson(data.object));
      return proceed();
    });
    const store = intercept(site.store, ({ name, parameters: [, known], proceed }) => {
      if (name !== 'saveStates') return proceed();
      for (const { content = {} } of known as EntityState[]) seen.push(objectJson(content));
      return proceed();
    });
    await site.poll({}, { topic, store });
    expect(seen).toEqual([texts[0], texts[0]]);
    expect(objectJson(read)).toBe(JSON.stringify(read));
  });
});
