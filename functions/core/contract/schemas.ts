import * as z from 'zod/mini';
import type { Action } from '../model/change.ts';
import { allResources, entitiesOf, makeCatalog } from '../model/resource-catalog.ts';
import type { EntityName, EventType } from './events.ts';

// A schema's `error` is always the text that follows "allowed: " in the message.

/** A timestamp of Sitecast: canonical, UTC. */
export const time = matching(
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3,9}Z$/,
  'an ISO 8601 UTC timestamp with milliseconds',
);

/** A name, key or address. */
const name = z.string({ error: 'a text that is not empty' }).check(z.minLength(1));

const idAllowed = { error: 'a text that is not empty, or an integer' };

/** The id of an entity, or of one that it belongs to. */
const id = z.union([name, z.int(idAllowed)], idAllowed);

/** Any entity: Sitecast guarantees only its id. */
export const entityObject = z.looseObject({ id }, { error: 'the entity: an object with its id' });

/** The entities that have events. Their types are in `entities.ts`. */
export const ENTITY_NAMES = entitiesOf(allResources(makeCatalog())) as EntityName[];

const ACTIONS = ['created', 'updated', 'deleted', 'restored'] as const satisfies Action[];

/** The data of events. Fields of the entity pass through: see `parseChangeEvent`. */
export const changeData = z.looseObject(
  {
    object: entityObject,
    changed: z.array(z.string({ error: 'the name of a field' }), { error: 'a list of names' }),
    previous: z.exactOptional(z.looseObject({}, { error: 'an object with old values, or none' })),
  },
  { error: 'an object with object, changed and previous' },
);

/** The attributes, in the order of an event. */
function attributes<Type extends z.ZodMiniType>(type: Type, dataschema: z.ZodMiniType<string>) {
  return {
    specversion: z.literal('1.0', { error: '"1.0"' }),
    id: matching(/^[0-9a-f]{32}$/, '32 hex digits'),
    source: name,
    type,
    subject: matching(/^\//, 'a path that starts with /'),
    time,
    datacontenttype: z.literal('application/json', { error: '"application/json"' }),
    dataschema,
    sequence: matching(
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/,
      'an ISO 8601 UTC timestamp with nine digits of a second',
    ),
    partitionkey: name,
    recordedtime: time,
    accountid: z.exactOptional(z.string({ error: 'a text, or nothing' })),
    projectid: z.exactOptional(z.string({ error: 'a text, or nothing' })),
    cause: name,
  };
}

/** For the field that only the other kind of event has. */
const nothing = z.exactOptional(z.never({ error: 'data or dataref, not both' }));

function eventOf(entity: EntityName, action: Action) {
  const type = `${entity}.${action}` as const;
  const dataschema = `urn:sitecast:schema:${type}:<version>`;
  return z.looseObject({
    ...attributes(
      z.literal(type),
      matching(new RegExp(`^urn:sitecast:schema:${entity}\\.${action}:\\d+$`), dataschema),
    ),
    data: changeData,
    dataref: nothing,
  });
}

/** The events of this version of the contract. */
export const events: ReadonlyMap<EventType, ReturnType<typeof eventOf>> = new Map(
  ENTITY_NAMES.flatMap((entity) =>
    ACTIONS.map((action) => [`${entity}.${action}` as const, eventOf(entity, action)]),
  ),
);

/** Any type. One of a later version may have a suffix. */
const anyType = matching(/^[^.\s]+\.\S+$/, '<entity>.<action>');

/** An event of a list that the operator configured, or of a later version. */
export const additionalEvent = z.looseObject({
  ...attributes(anyType, name),
  data: changeData,
  dataref: nothing,
});

/** The event that replaces an event too large for the topic. */
export const claimCheck = z.looseObject({
  ...attributes(anyType, name),
  data: nothing,
  dataref: matching(/^(s3|https):\/\/[^/]+\/.+$/, 's3://<bucket>/<key>, or an https address'),
});

export function schemaFor(type: string): z.ZodMiniType {
  return events.get(type as EventType) ?? additionalEvent;
}

function matching(pattern: RegExp, allowed: string) {
  return z.string({ error: allowed }).check(z.regex(pattern));
}
