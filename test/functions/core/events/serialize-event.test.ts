import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  eventJson,
  keepTexts,
  mayStandFor,
  objectJson,
} from '../../../../functions/core/events/serialize-event.ts';
import type { JsonObject } from '../../../../functions/core/model/entity.ts';
import type { ChangeEvent } from '../../../../functions/core/events/change-event.ts';
import { eventOf } from '../../../support/samples.ts';

const text = fc.string({ unit: 'binary', maxLength: 8 });
/** As they are let in at the door. */
const id = fc.stringMatching(/^[A-Za-z0-9._:~-]{1,8}$/);
const object = fc.dictionary(text, fc.jsonValue());

/** Few values of what events share, so that it is the same in some that follow each other. */
const event = fc
  .record({
    type: fc.constantFrom('a.created' as const, '"\n.deleted' as const),
    source: fc.constantFrom('https://a.test', '"\\\u2028\ud800'),
    dataschema: fc.constantFrom('urn:a', '"'),
    recordedtime: fc.constantFrom('2024-01-01T00:00:00.000Z', '2024-01-01T00:00:00.001Z'),
    accountid: fc.constantFrom('1', '"', undefined),
    projectid: fc.constantFrom('p1', '"', undefined),
    cause: fc.constantFrom('poll' as const, 'replay' as const),
    subject: id.map((of) => `/projects/${of}`),
    partitionkey: id,
    object,
    changed: fc.array(text),
    previous: fc.option(object, { nil: undefined }),
  })
  .map((one): ChangeEvent => {
    const { specversion, id, time, datacontenttype, sequence } = eventOf('f1');
    const { accountid, projectid, object, changed, previous } = one;
    return {
      specversion,
      id,
      source: one.source,
      type: one.type,
      subject: one.subject,
      time,
      datacontenttype,
      dataschema: one.dataschema,
      sequence,
      partitionkey: one.partitionkey,
      recordedtime: one.recordedtime,
      ...(accountid !== undefined && { accountid }),
      ...(projectid !== undefined && { projectid }),
      cause: one.cause,
      data: { object, changed, ...(previous && { previous }) },
    };
  });

describe('eventJson', () => {
  it('makes what JSON.stringify makes, whatever the events before were', () => {
    fc.assert(
      fc.property(fc.array(event, { minLength: 1, maxLength: 6 }), (events) => {
        expect(events.map(eventJson)).toEqual(events.map((made) => JSON.stringify(made)));
      }),
      { numRuns: 500 },
    );
  });
});

describe('objectJson', () => {
  it('tells objects apart however many there are', () => {
    const objects = Array.from({ length: 5000 }, (_, id) => ({ id }));
    const json = objects.map((one) => JSON.stringify(one));
    expect(objects.map(objectJson)).toEqual(json);
    expect(objects.map(objectJson)).toEqual(json);
  });

  it('is what an entity was read from for as long as that is kept', () => {
    const json = '{"size":1.0}';
    const read = JSON.parse(json) as JsonObject;
    const other = keepTexts(new Map([[{}, '{"of":"another list"}']]));
    const forget = keepTexts(new Map([[read, json]]));
    other();
    expect(objectJson(read)).toBe(json);
    forget();
    expect(objectJson(read)).toBe(JSON.stringify(read));
  });
});

describe('the JSON that an entity was read from', () => {
  const isTaken = (json: string) => mayStandFor(JSON.parse(json) as JsonObject, json);

  it.each([
    ['escapes that nobody needs', '{"name":"\\u0041"}'],
    ['half a character', '{"name":"\\ud800"}'],
    ['escaped slashes', '{"url":"https:\\/\\/a.test"}'],
    ['a number that may be rounded', '{"size":9007199254740993}'],
    ['a number that may be rounded, deep in it', '{"of":[{"size":0.30000000000000004}]}'],
    ['a number that is too large', '{"size":1e400}'],
  ])('is not taken for its JSON when it has %s', (_, json) => {
    expect(isTaken(json)).toBe(false);
  });

  it('is taken for its JSON with the escapes that are needed, and with whole numbers', () => {
    expect(isTaken(String.raw`{"name":"a\n\"b/","of":[{"size":-10},null,1.0,true]}`)).toBe(true);
  });
});
