/**
 * Judges SNS filter policies: by their shape, and by the names and words that events have. SNS
 * judges the rest, such as the operands of its operators.
 */
import { nameOf } from '../../functions/settings/describe-problems.ts';
import type { PollerConfig } from '../../functions/settings/poller-config.ts';
import { ACTIONS, CAUSES, eventEntities } from './event-words.ts';
import { isObject } from './read-cdk-json.ts';

export type FilterPolicyScope = 'MessageAttributes' | 'MessageBody';

/** A part of a policy that cannot work. */
export interface FilterPolicyProblem {
  /** Keys and list indexes that lead to it. */
  readonly path: readonly (string | number)[];
  readonly allowed: string;
}

type Path = FilterPolicyProblem['path'];
type Policy = Readonly<Record<string, unknown>>;

const ATTRIBUTES = ['type', 'entity', 'action', 'project_id', 'account_id', 'cause', 'changed'];
const BODY = [
  ...['specversion', 'id', 'source', 'type', 'subject', 'time', 'datacontenttype', 'dataschema'],
  ...['sequence', 'partitionkey', 'recordedtime', 'accountid', 'projectid', 'cause'],
  ...['data', 'dataref'],
];
const OBJECT = 'an object with conditions';
const ALTERNATIVES = 'a list of at least two objects with conditions';
const LIST = 'a list of at least one value or condition';
const ITEM = 'a text, in quotes, since all attributes are texts, or an operator';

/** Finds shapes that SNS would refuse, and names that no event has. */
export function filterPolicyProblems(
  policy: unknown,
  scope: FilterPolicyScope,
  path: Path = [],
): FilterPolicyProblem[] {
  if (!isObject(policy) || Object.keys(policy).length === 0) return [{ path, allowed: OBJECT }];
  const names = scope === 'MessageBody' ? BODY : ATTRIBUTES;
  const otherScope = scope === 'MessageBody' ? 'MessageAttributes' : 'MessageBody';
  const known = `${names.join(', ')}; other names with filterPolicyScope "${otherScope}"`;
  return Object.entries(policy).flatMap(([key, condition]) => {
    const here = [...path, key];
    if (key === '$or') return alternativeProblems(condition, scope, here);
    if (!names.includes(key)) return [{ path: here, allowed: known }];
    return scope === 'MessageBody' ? [] : conditionProblems(condition, here);
  });
}

function alternativeProblems(
  policies: unknown,
  scope: FilterPolicyScope,
  path: Path,
): FilterPolicyProblem[] {
  if (!Array.isArray(policies) || policies.length < 2) return [{ path, allowed: ALTERNATIVES }];
  return policies.flatMap((each, index) => filterPolicyProblems(each, scope, [...path, index]));
}

/** Of a condition on an attribute; SNS judges its operators, and all conditions on the body. */
function conditionProblems(condition: unknown, path: Path): FilterPolicyProblem[] {
  if (!Array.isArray(condition) || condition.length === 0) return [{ path, allowed: LIST }];
  return condition.flatMap((item: unknown, index) =>
    typeof item === 'string' || isObject(item) ? [] : [{ path: [...path, index], allowed: ITEM }],
  );
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
