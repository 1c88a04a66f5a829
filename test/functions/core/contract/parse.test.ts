import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ExactNumber,
  InvalidChangeEventError,
  parseChangeEvent,
} from '../../../../functions/core/contract/index.ts';
import { makeEvent } from '../../../../functions/core/events/make-event.ts';
import type { Action } from '../../../../functions/core/model/change.ts';
import { isoTime } from '../../../../functions/core/model/timestamp.ts';
import {
  committedSchemas,
  guaranteedSchemas,
  whyAgainstSchema,
} from '../../../support/event-schemas.ts';
import { eventOf } from '../../../support/samples.ts';

const EVENT = eventOf('f1');

/** The error of an event with other fields. */
const errorOf = (fields: object) => errorOfText(JSON.stringify({ ...EVENT, ...fields }));

function errorOfText(text: string): string {
  try {
    parseChangeEvent(text);
    return 'none';
  } catch (error) {
    if (error instanceof InvalidChangeEventError) return error.message;
    throw error;
  }
}

const ENTITIES = ['project', 'floorplan', 'template_checklist', 'template_check_item', 'sheet'];

/** An event as the core makes it of whatever the service returned. */
const anyEvent = fc
  .record({
    entity: fc.constantFrom(...ENTITIES),
    action: fc.constantFrom<Action>('created', 'updated', 'deleted', 'restored'),
    id: fc.stringMatching(/^[A-Za-z0-9._:~-]{1,36}$/),
    milliseconds: fc.integer({ min: 0, max: 4e12 }),
    fields: fc.dictionary(fc.string(), fc.jsonValue()),
    known: fc.dictionary(
      fc.constantFrom('name', 'account_id', 'updated_at', 'deleted_at', 'code', 'color'),
      fc.jsonValue(),
    ),
    changed: fc.array(fc.string()),
    previous: fc.option(fc.dictionary(fc.string(), fc.jsonValue()), { nil: undefined }),
    accountId: fc.option(fc.string(), { nil: undefined }),
    projectId: fc.option(fc.string(), { nil: undefined }),
  })
  .map(({ entity, action, id, milliseconds, fields, known, previous, changed, ...context }) => {
    const { accountId, projectId } = context;
    const time = isoTime(milliseconds);
    const event = makeEvent(
      {
        ...{ entity, action, id, time, sequence: time, changed },
        subject: `/projects/p/${entity}s/${id}`,
        object: { ...fields, ...known, id },
        ...(previous && { previous }),
      },
      {
        source: 'https://service.example/api/v3',
        cause: 'poll',
        now: new Date(milliseconds + 1).toISOString(),
        ...(accountId !== undefined && { accountId }),
        ...(projectId !== undefined && { projectId }),
      },
    );
    return JSON.stringify(event);
  });

describe('parseChangeEvent', () => {
  it('returns every event that the core makes, as it is, whatever the service put into the entity', () => {
    const schemas = guaranteedSchemas();
    const fitsAdditional = committedSchemas().get('additional');
    fc.assert(
      fc.property(anyEvent, (text) => {
        const event = parseChangeEvent(text);
        expect(JSON.stringify(event)).toBe(text);
        expect(whyAgainstSchema(schemas, event)).toBeUndefined();
        expect(fitsAdditional?.(event)).toBe(true);
      }),
    );
  });

  it('takes an event for valid exactly when its committed schema does, whatever its entity is', () => {
    const schemas = guaranteedSchemas();
    const inEvent = Object.keys(EVENT).filter((name) => name !== 'type');
    const field = fc.oneof(
      fc.constantFrom(...inEvent).map((name) => [name]),
      fc.constantFrom('object', 'changed', 'previous').map((name) => ['data', name]),
      fc.constant(['data', 'object', 'id']),
      fc.constant(['further']),
    );
    const value = fc.oneof(fc.jsonValue(), fc.constant(undefined), fc.constant([1]));
    fc.assert(
      fc.property(anyEvent, field, value, (text, path, value) => {
        const event = JSON.parse(text) as { type: string };
        const outer = path
          .slice(0, -1)
          .reduce<unknown>((object, name) => (object as Record<string, unknown>)[name], event);
        Object.assign(outer as object, { [String(path.at(-1))]: value });
        const changed = JSON.stringify(event);
        const why = whyAgainstSchema(schemas, JSON.parse(changed) as { type: string });
        expect(errorOfText(changed) === 'none', changed).toBe(why === undefined);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    [{ id: 'abc' }, 'id is "abc"; allowed: 32 hex digits'],
    [{ subject: 'projects' }, 'subject is "projects"; allowed: a path that starts with /'],
    [{ datacontenttype: 'a/b' }, 'datacontenttype is "a/b"; allowed: "application/json"'],
    [{ source: undefined }, 'source is missing; allowed: a text that is not empty'],
    [{ type: '.a.created' }, 'type is ".a.created"; allowed: <entity>.<action>'],
    [
      { sequence: '2024-01-01T00:00:00.000Z' },
      'sequence is "2024-01-01T00:00:00.000Z"; allowed: an ISO 8601 UTC timestamp with nine digits of a second',
    ],
    [{ data: { object: { id: 'f' } } }, 'data.changed is missing; allowed: a list of names'],
    [{ dataref: 's3://bucket/key' }, /^data is .*; allowed: data or dataref, not both/],
  ])('says what is wrong with %j', (fields, message) => {
    expect(errorOf(fields)).toMatch(message);
  });

  it.each(['id', 'time', 'sequence', 'recordedtime', 'dataschema', 'dataref', 'subject'] as const)(
    'takes a whole %s and nothing before it or after it',
    (name) => {
      const { data: _, ...attributes } = EVENT;
      const claimCheck = { ...attributes, dataref: 's3://bucket/events/1.json' };
      const event = name === 'dataref' ? claimCheck : { ...EVENT, dataref: undefined };
      const errorWith = (value: unknown) =>
        errorOfText(JSON.stringify({ ...event, [name]: value }));
      expect(errorWith(event[name])).toBe('none');
      expect(errorWith(` ${event[name]}`)).toContain(name);
      // The end of these two is open.
      if (name !== 'dataref' && name !== 'subject')
        expect(errorWith(`${event[name]} `)).toContain(name);
    },
  );

  it.each(['poll', 'replay', 'reconcile', 'rain'])('takes the cause %s', (cause) => {
    expect(errorOf({ cause })).toBe('none');
  });

  it('names the field, and shows a long value cut', () => {
    const text = JSON.stringify({ ...EVENT, time: 'x'.repeat(1000) });
    expect(() => parseChangeEvent(text)).toThrow(
      expect.objectContaining({ name: 'InvalidChangeEventError', field: 'time' }),
    );
    expect(errorOfText(text).length).toBeLessThan(200);
    expect(errorOfText(`"${'y'.repeat(1000)}`).length).toBeLessThan(200);
  });

  it.each([
    ['', 'The text is not JSON: "" (Unexpected end of JSON input)'],
    ['{"a":1', /^The text is not JSON: .* \(Expected ',' or '}'.* position 6/],
    ['{}', 'specversion is missing; allowed: "1.0"'],
  ])('refuses the text %j', (text, message) => {
    expect(errorOfText(text)).toMatch(message);
  });

  it('keeps a number that JavaScript cannot hold', () => {
    const text = JSON.stringify(EVENT).replace(
      '"id":"f1"',
      '"id":"f1","account_id":18446744073709551615',
    );
    const event = parseChangeEvent(text);
    expect(event.data?.object.account_id).toEqual(new ExactNumber('18446744073709551615'));
    expect(JSON.stringify(event)).toBe(text);
  });
  it('refuses what is no text', () => {
    const event = EVENT as unknown as string;
    expect(() => parseChangeEvent(event)).toThrow(
      'An event is parsed from its JSON text, got object',
    );
  });

  it.each([
    [{ Type: 'Notification', Message: '{}' }, 'a message of SNS'],
    [{ Type: 'SubscriptionConfirmation', Message: 'x' }, 'a confirmation of SNS'],
    [{ Type: 'UnsubscribeConfirmation', Message: 'x' }, 'a confirmation of SNS'],
    [{ Sns: {} }, 'a message of SNS'],
    [{ messageId: 'm', body: '{}' }, 'a message of SQS'],
    [{ Records: [] }, 'a message of SQS'],
  ])('says what to pass in the place of %j', (value, message) => {
    expect(errorOfText(JSON.stringify(value))).toContain(message);
    // An event may have any further attribute.
    expect(errorOf(value)).toBe('none');
  });

  it('takes what it does not know: attributes, fields, versions of schemas', () => {
    const event = {
      ...EVENT,
      dataschema: 'urn:sitecast:schema:floorplan.updated:12',
      traceparent: '00-1',
      data: { ...EVENT.data, reason: 'rain' },
    };
    expect(parseChangeEvent(JSON.stringify(event))).toEqual(event);
  });

  it('checks the data of a list that the operator configured', () => {
    const further = { type: 'checklist.updated', dataschema: 'urn:x' };
    expect(errorOf(further)).toBe('none');
    expect(errorOf({ ...further, data: {} })).toMatch(/^data.object is missing/);
  });

  it.each(['floorplan.updated.v2', 'a.b.created'])(
    'takes the type %s of a later version with data of the same kind',
    (type) => {
      expect(errorOf({ type, dataschema: 'urn:x' })).toBe('none');
      expect(errorOf({ type, dataschema: 'urn:x', data: 7 })).toMatch(/^data is 7/);
      expect(errorOf({ type, dataschema: 'urn:x', id: 7 })).toMatch(/^id is 7/);
    },
  );
});
