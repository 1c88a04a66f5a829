/**
 * Judges SNS filter policies: by their shape, and by the names and words that events have. SNS
 * judges the rest, such as the operands of its operators.
 */
import { nameOf } from '../../functions/settings/describe-problems.ts';
import type { PollerConfig } from '../../functions/settings/poller-config.ts';
import { ACTIONS, CAUSES, eventEntities } from './event-words.ts';

/** What a policy is matched against. */
export type FilterPolicyScope = 'MessageAttributes' | 'MessageBody';

/** A part of a policy that cannot work. */
export interface FilterPolicyProblem {
  /** Keys and list indexes that lead to it. */
  readonly path: readonly (string | number)[];
  readonly allowed: string;
}

type Path = FilterPolicyProblem['path'];
type Policy = Readonly<Record<string, unknown>>;

const ATTRIBUTES = [
  ...['type', 'entity', 'action', 'project_id', 'account_id', 'cause', 'changed'],
];
const BODY = [
  ...['specversion', 'id', 'source', 'type', 'subject', 'time', 'datacontenttype', 'dataschema'],
  ...['sequence', 'partitionkey', 'recordedtime', 'accountid', 'projectid', 'cause'],
  ...['data', 'dataref'],
];
const OPERATORS = [
  ...['prefix', 'suffix', 'wildcard', 'equals-ignore-case', 'exists', 'cidr', 'anything-but'],
  'numeric',
];

/** Finds what SNS would refuse for its shape, and names that no event has. */
export function filterPolicyProblems(
  policy: unknown,
  scope: FilterPolicyScope,
): FilterPolicyProblem[] {
  return problemsOfObject(policy, [], scope);
}

/** @param object the policy, an object of its `$or`, or one within the body. */
function problemsOfObject(
  object: unknown,
  path: Path,
  scope: FilterPolicyScope,
  isWithinBody = false,
): FilterPolicyProblem[] {
  if (!isObject(object) || Object.keys(object).length === 0)
    return [{ path, allowed: 'an object with conditions' }];
  return Object.entries(object).flatMap(([key, condition]) => {
    const here = [...path, key];
    if (key === '$or') {
      if (!Array.isArray(condition) || condition.length < 2)
        return [{ path: here, allowed: 'a list of at least two objects with conditions' }];
      return condition.flatMap((each, index) =>
        problemsOfObject(each, [...here, index], scope, isWithinBody),
      );
    }
    const names = scope === 'MessageBody' ? BODY : ATTRIBUTES;
    if (!isWithinBody && !names.includes(key)) {
      const other = scope === 'MessageBody' ? 'MessageAttributes' : 'MessageBody';
      const allowed = `${names.join(', ')}; other names with filterPolicyScope "${other}"`;
      return [{ path: here, allowed }];
    }
    return problemsOfCondition(condition, here, scope);
  });
}

function problemsOfCondition(
  condition: unknown,
  path: Path,
  scope: FilterPolicyScope,
): FilterPolicyProblem[] {
  if (scope === 'MessageBody' && isObject(condition))
    return problemsOfObject(condition, path, scope, true);
  if (!Array.isArray(condition) || condition.length === 0)
    return [{ path, allowed: 'a list of at least one value or condition' }];
  return condition.flatMap((item: unknown, index) => {
    if (isValue(item, scope)) return [];
    const [name = '', ...others] = isObject(item) ? Object.keys(item) : [];
    if (others.length === 0 && OPERATORS.includes(name)) return [];
    const values =
      scope === 'MessageBody'
        ? 'a text, a number, true, false, null'
        : 'a text, in quotes, since all attributes are texts,';
    const allowed = `${values} or an object with one of ${OPERATORS.join(', ')}`;
    return [{ path: [...path, index], allowed }];
  });
}

function isValue(item: unknown, scope: FilterPolicyScope): boolean {
  if (typeof item === 'string') return true;
  return scope === 'MessageBody' && (item === null || ['number', 'boolean'].includes(typeof item));
}

function isObject(value: unknown): value is Policy {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Finds words in a valid policy that no event has: of types, entities, actions and causes.
 *
 * @param place keys that lead to the subscriber.
 * @returns sentences that name the word, and those that there are.
 */
export function filterWarnings(
  { filterPolicy = {} }: { readonly filterPolicy?: Policy | undefined },
  config: PollerConfig,
  place: Path = [],
): string[] {
  const { shown, hidden } = eventEntities(config);
  const typesOf = (entity: string) => ACTIONS.map((action) => `${entity}.${action}`);
  const words: Readonly<Record<string, readonly string[]>> = {
    type: shown.flatMap(typesOf),
    entity: shown,
    action: ACTIONS,
    cause: CAUSES,
  };
  return wordsIn(filterPolicy).flatMap(({ path, key, word }) => {
    const known = Object.hasOwn(words, key) ? words[key] : undefined;
    if (known === undefined || known.includes(word)) return [];
    const entity = key === 'type' ? (word.split('.')[0] ?? '') : key === 'entity' ? word : '';
    const remedy = hidden.get(entity);
    const reason =
      remedy === undefined
        ? `${key} is ${known.join(', ')}`
        : `${entity} has events only with ${remedy}`;
    const field = nameOf([...place, 'filterPolicy', ...path]);
    return [`${field} ${JSON.stringify(word)} matches no event: ${reason}.`];
  });
}

/** The texts for which each name of a policy asks, those in `$or` included. */
function wordsIn(policy: Policy, path: Path = []): { path: Path; key: string; word: string }[] {
  return Object.entries(policy).flatMap(([key, condition]) => {
    const here = [...path, key];
    if (!Array.isArray(condition)) return [];
    return condition.flatMap((item: unknown, index) => {
      if (key === '$or') return wordsIn(item as Policy, [...here, index]);
      return typeof item === 'string' ? [{ path: [...here, index], key, word: item }] : [];
    });
  });
}
