import { nameOf } from '../../../functions/settings/describe-problems.ts';
import type { PollerConfig } from '../../../functions/settings/poller-config.ts';
import { ACTIONS, CAUSES, eventEntities, FIELDS, type EventEntities } from '../event-words.ts';
import { findNearest } from '../find-nearest.ts';
import type { SubscriberConfig } from '../subscribers.ts';
import { canMatch, matches, type KnownEvent } from './match-filter.ts';

/** A part of a filter policy that no event meets, or most likely none. */
interface FilterWarning {
  /** Keys and list indexes that lead to it; empty for the whole policy. */
  readonly path: readonly (string | number)[];
  /** What is wrong, as the end of a sentence, and an advice. */
  readonly message: string;
}

type Policy = Readonly<Record<string, unknown>>;

/** Names of message attributes that the body does not have, and what it has instead. */
const IN_BODY: Readonly<Record<string, string>> = {
  entity: 'type, as [{"prefix": "floorplan."}]',
  action: 'type, as [{"suffix": ".deleted"}]',
  project_id: 'projectid',
  account_id: 'accountid',
  changed: '"data": {"changed": […]}',
};

/** The attributes of an event, and the fields of its data. */
const BODY = [
  ...['specversion', 'id', 'source', 'type', 'subject', 'time', 'datacontenttype', 'dataschema'],
  ...['sequence', 'partitionkey', 'recordedtime', 'accountid', 'projectid', 'cause'],
  ...['data', 'dataref'],
];
const DATA = ['object', 'changed', 'previous'];

const PROJECT_ID = [
  /^(-?\d+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i,
  'ids of projects are UUIDs or integers',
] as const;

/** Forms of values that have no list. */
const FORMS: Readonly<Record<string, readonly [RegExp, string]>> = {
  account_id: [/^\d+$/, 'account ids are digits'],
  accountid: [/^\d+$/, 'account ids are digits'],
  project_id: PROJECT_ID,
  projectid: PROJECT_ID,
  changed: [/^(?!updated_at$)/, 'changed never names updated_at'],
};

/**
 * Finds conditions of a subscriber's valid policy that no event can meet today, and names that look
 * mistyped.
 *
 * @param place keys that lead to the subscriber.
 * @returns sentences that name the condition, its value and what is wrong.
 */
export function filterWarnings(
  { filterPolicy, filterPolicyScope }: Pick<SubscriberConfig, 'filterPolicy' | 'filterPolicyScope'>,
  config: PollerConfig,
  place: FilterWarning['path'] = [],
): string[] {
  if (filterPolicy === undefined) return [];
  return findWarnings(filterPolicy, filterPolicyScope, config).map(({ path, message }) => {
    const value = path.reduce<unknown>((at, key) => (at as Policy)[key], filterPolicy);
    return `${nameOf([...place, 'filterPolicy', ...path])} ${JSON.stringify(value)} ${message}.`;
  });
}

function findWarnings(
  filterPolicy: Policy,
  filterPolicyScope: SubscriberConfig['filterPolicyScope'],
  config: PollerConfig,
): FilterWarning[] {
  const entities = eventEntities(config);
  const isBody = filterPolicyScope === 'MessageBody';
  const events = knownEvents(entities).map((event) => (isBody ? inBody(event) : event));
  const warnings = conditionsOf(filterPolicy).flatMap(({ path, key, condition }) => {
    const problem = isBody ? nameProblem(key, condition) : undefined;
    if (problem !== undefined) return [{ path, message: problem }];
    if (!Array.isArray(condition)) return [];
    return valueWarnings(key, condition, events, entities).map((warning) => ({
      ...warning,
      path: [...path, ...warning.path],
    }));
  });
  // What an additional list has for fields is not known.
  if (!isBody && config.additionalResources.length === 0) {
    warnings.push(...mistypedFields(filterPolicy));
  }
  if (warnings.length > 0 || events.some((event) => canMatch(filterPolicy, event))) return warnings;
  return [{ path: [], message: 'matches no event: none meets all conditions together' }];
}

/** Names in `changed` that are nearly those of fields: another field may have them, but hardly does. */
function mistypedFields(policy: Policy): FilterWarning[] {
  return conditionsOf(policy).flatMap(({ path, key, condition }) => {
    if (key !== 'changed' || !Array.isArray(condition)) return [];
    return condition.flatMap((value: unknown, index) => {
      if (typeof value !== 'string' || FIELDS.includes(value)) return [];
      const nearest = findNearest(value, FIELDS);
      const message = `is no field that is known: ${JSON.stringify(nearest)} may be meant`;
      return nearest === undefined ? [] : [{ path: [...path, index], message }];
    });
  });
}

/** Why a name is not in the body of any event; undefined if it may be, or must not be. */
function nameProblem(key: string, condition: unknown): string | undefined {
  if (canMatch({ [key]: condition }, { [key]: undefined }) && Array.isArray(condition)) return;
  const instead = Object.hasOwn(IN_BODY, key) ? IN_BODY[key] : undefined;
  if (instead !== undefined) {
    return `matches no event: the body has no ${key}; filter by ${instead}, or set filterPolicyScope to "MessageAttributes"`;
  }
  if (!BODY.includes(key)) return `matches no event: the body has ${BODY.join(', ')}`;
  if (key !== 'data' || Array.isArray(condition)) return undefined;
  const unknown = Object.keys(condition as Policy).find((name) => ![...DATA, '$or'].includes(name));
  return unknown === undefined
    ? undefined
    : `matches no event: data has ${DATA.join(', ')}, and ${unknown} may be a field of data.object`;
}

/** All that can be told about events beforehand, as message attributes. */
function knownEvents({ shown }: EventEntities): KnownEvent[] {
  return shown.flatMap((entity) =>
    ACTIONS.flatMap((action) =>
      CAUSES.map((cause) => ({
        ...{ type: `${entity}.${action}`, entity, action, cause },
        // A created entity has no changed fields.
        ...(action === 'created' && { changed: undefined }),
      })),
    ),
  );
}

/** The same event without the names that its body does not have. */
function inBody(event: KnownEvent): KnownEvent {
  const missing = Object.keys(IN_BODY).map((name) => [name, undefined]);
  return { ...event, ...(Object.fromEntries(missing) as KnownEvent) };
}

/** The conditions of a policy by their name, those in `$or` included. */
function conditionsOf(
  policy: Policy,
  path: FilterWarning['path'] = [],
): { path: FilterWarning['path']; key: string; condition: unknown }[] {
  return Object.entries(policy).flatMap(([key, condition]) =>
    key === '$or'
      ? (condition as Policy[]).flatMap((each, i) => conditionsOf(each, [...path, key, i]))
      : [{ path: [...path, key], key, condition }],
  );
}

/** The values of one condition that no event has. */
function valueWarnings(
  key: string,
  values: readonly unknown[],
  events: readonly KnownEvent[],
  entities: EventEntities,
): FilterWarning[] {
  const isKnown = events.some((event) => event[key] !== undefined) && key !== 'changed';
  const [form, rule] = FORMS[key] ?? [];
  return values.flatMap((value, index) => {
    const path = [index];
    if (typeof value !== 'string' && typeof value !== 'object') {
      return [{ path, message: 'matches no event: its attributes are texts, in quotes' }];
    }
    if (isKnown && !events.some((event) => matches(value, event[key]))) {
      return [{ path, message: `matches no event: ${reason(key, value, events, entities)}` }];
    }
    if (typeof value === 'string' && form?.test(value) === false) {
      return [{ path, message: `matches no event: ${rule ?? ''}` }];
    }
    return [];
  });
}

/** Why no event has a value: its entity is not shown, or the word is not known. */
function reason(
  key: string,
  value: unknown,
  events: readonly KnownEvent[],
  { hidden }: EventEntities,
): string {
  const namesEntity = key === 'type' || key === 'entity';
  for (const [entity, remedy] of namesEntity ? hidden : []) {
    const words = key === 'type' ? ACTIONS.map((action) => `${entity}.${action}`) : [entity];
    if (words.some((word) => matches(value, word))) {
      return `${entity} has events only with ${remedy}`;
    }
  }
  const words = [...new Set(events.map((event) => event[key]))];
  return `${key} is ${words.join(', ')}`;
}
