import type { JsonObject } from '../model/entity.ts';
import type { ChangeEvent } from './change-event.ts';

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

/** JSON of entities, as they were read. */
export type EntityTexts = ReadonlyMap<JsonObject, string>;

/** Of the pages that are being worked. */
const kept = new Set<EntityTexts>();

/**
 * Lets {@link objectJson} of the entities of a page be what they were read from.
 *
 * @returns ends that. Until then the texts stay in memory.
 */
export function keepTexts(texts: EntityTexts): () => void {
  kept.add(texts);
  return () => {
    kept.delete(texts);
  };
}

/**
 * Whether JSON that an entity was read from may stand in the place of what is made of it here: it needs no
 * more room, by escapes that nobody needs, and says the same. A number that is rounded here would differ
 * when the event is told once more, of a page whose texts are not known.
 */
export function mayStandFor(object: JsonObject, json: string): boolean {
  return !json.includes('\\u') && !json.includes('\\/') && isExact(object);
}

/** Whether all numbers in a value are whole, and so small that none was rounded. */
function isExact(value: unknown): boolean {
  if (typeof value === 'number') return Number.isSafeInteger(value);
  if (typeof value !== 'object' || value === null) return true;
  // Not by a list of the values: this is done for each entity that is published.
  for (const name in value) if (!isExact((value as JsonObject)[name])) return false;
  return true;
}

/** Entities of a page or two. A map that many entities have come and gone in is slow. */
const MOST_MADE = 2000;
let made = new WeakMap<JsonObject, string>();
let count = 0;

/**
 * JSON of an entity, read or made once: it stands in the entity's event and in what is stored of it. The
 * entity must not be changed any more.
 */
export function objectJson(object: JsonObject): string {
  for (const texts of kept) {
    const read = texts.get(object);
    if (read !== undefined) return read;
  }
  const before = made.get(object);
  if (before !== undefined) return before;
  if (count === MOST_MADE) [made, count] = [new WeakMap(), 0];
  const json = JSON.stringify(object);
  made.set(object, json);
  count += 1;
  return json;
}
