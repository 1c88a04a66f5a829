import type { JsonObject } from './entity.ts';
import type { ChangeEvent } from './event.ts';

/** What is the same in most events of a page. */
type SharedAttributes = {
  readonly [
    Name in 'source' | 'type' | 'dataschema' | 'recordedtime' | 'accountid' | 'projectid' | 'cause'
  ]: ChangeEvent[Name] | undefined;
};

/** What most events of a page share, between what is their own: JSON of all but the values in between. */
interface Frame {
  readonly of: SharedAttributes;
  readonly beforeSubject: string;
  readonly beforeSequence: string;
  readonly beforeData: string;
}

let last: Frame | undefined;

/**
 * JSON of an event: what `JSON.stringify` makes of it, for half of what it takes. Ids, subjects and
 * timestamps passed the door, and have no characters that JSON escapes.
 */
export function eventJson(event: ChangeEvent): string {
  const frame = last !== undefined && isFramed(event, last.of) ? last : (last = frameOf(event));
  const { object, changed, previous } = event.data;
  const before = previous === undefined ? '' : `,"previous":${JSON.stringify(previous)}`;
  // As few pieces as can be: each costs some nanoseconds when they are put together.
  return (
    `{"specversion":"1.0","id":"${event.id}${frame.beforeSubject}${event.subject}","time":"${event.time}` +
    `${frame.beforeSequence}${event.sequence}","partitionkey":"${event.partitionkey}${frame.beforeData}` +
    `${objectJson(object)},"changed":${namesJson(changed)}${before}}}`
  );
}

let lastNames: readonly string[] = [];
let lastNamesJson = '[]';

/** JSON of names, mostly the same as of the event before. */
function namesJson(names: readonly string[]): string {
  const isLast =
    names.length === lastNames.length && names.every((name, i) => name === lastNames[i]);
  if (!isLast) [lastNames, lastNamesJson] = [names, JSON.stringify(names)];
  return lastNamesJson;
}

function isFramed(event: ChangeEvent, of: SharedAttributes): boolean {
  return (
    event.type === of.type &&
    event.source === of.source &&
    event.dataschema === of.dataschema &&
    event.recordedtime === of.recordedtime &&
    event.accountid === of.accountid &&
    event.projectid === of.projectid &&
    event.cause === of.cause
  );
}

function frameOf(event: ChangeEvent): Frame {
  const { source, type, datacontenttype, dataschema } = event;
  const { recordedtime, accountid, projectid, cause } = event;
  // An attribute that is undefined is left out, as it should be.
  const members = (attributes: object): string => `,${JSON.stringify(attributes).slice(1, -1)}`;
  return {
    of: { source, type, dataschema, recordedtime, accountid, projectid, cause },
    beforeSubject: `"${members({ source, type })},"subject":"`,
    beforeSequence: `"${members({ datacontenttype, dataschema })},"sequence":"`,
    beforeData: `"${members({ recordedtime, accountid, projectid, cause })},"data":{"object":`,
  };
}

/** More entities than the lists that are worked side by side have between comparing and saving them. */
const MAPS = 16;
const ENTITIES_OF_A_MAP = 1000;
/** The newest first. Several, since a map that many entities have come and gone in is slow. */
let maps: readonly WeakMap<JsonObject, string>[] = [];
let room = 0;

/**
 * JSON of an entity, made once: it stands in the entity's event and in what is stored of it. The entity
 * must not be changed any more.
 */
export function objectJson(object: JsonObject): string {
  for (const map of maps) {
    const json = map.get(object);
    if (json !== undefined) return json;
  }
  const json = JSON.stringify(object);
  keep(object, json);
  return json;
}

/**
 * Takes JSON that an entity was read from for its {@link objectJson}. Numbers stay as they were written,
 * also those that this process cannot tell exactly. JSON with escapes that nobody needs is longer than
 * what is made here, and left alone.
 */
export function keepJson(object: JsonObject, json: string): void {
  if (!json.includes('\\u') && !json.includes('\\/')) keep(object, json);
}

function keep(object: JsonObject, json: string): void {
  if (room === 0) {
    maps = [new WeakMap<JsonObject, string>(), ...maps.slice(0, MAPS - 1)];
    room = ENTITIES_OF_A_MAP;
  }
  maps[0]?.set(object, json);
  room -= 1;
}
