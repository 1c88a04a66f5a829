/**
 * Judges SNS filter policies: by their shape, and by the names and words that events have. SNS
 * judges the rest, such as the operands of its operators.
 */
import * as z from 'zod/mini';
import { nameOf } from '../../functions/settings/describe-problems.ts';
import type { PollerConfig } from '../../functions/settings/poller-config.ts';
import { ACTIONS, CAUSES, eventEntities } from './event-words.ts';

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
const LIST = 'a list of at least one value or condition';

/** A condition on an attribute; SNS judges its operators, and all conditions on the body. */
const condition = z
  .array(
    z.union([z.string(), z.record(z.string(), z.unknown())], {
      error: 'a text, in quotes, since all attributes are texts, or an operator',
    }),
    { error: LIST },
  )
  .check(z.minLength(1, { error: LIST }));

const POLICIES: Readonly<Record<FilterPolicyScope, z.ZodMiniType>> = {
  MessageAttributes: policyOf(ATTRIBUTES, condition, 'MessageBody'),
  MessageBody: policyOf(BODY, z.unknown(), 'MessageAttributes'),
};

function policyOf(
  names: readonly string[],
  condition: z.ZodMiniType,
  otherScope: FilterPolicyScope,
): z.ZodMiniType {
  const or = 'a list of at least two objects with conditions';
  const conditions = Object.fromEntries(names.map((name) => [name, z.optional(condition)]));
  const alternatives = z.array(
    z.lazy(() => policy),
    { error: or },
  );
  const policy: z.ZodMiniType = z
    .strictObject(
      { ...conditions, $or: z.optional(alternatives.check(z.minLength(2, { error: or }))) },
      {
        error: ({ code }) =>
          code === 'unrecognized_keys'
            ? `${names.join(', ')}; other names with filterPolicyScope "${otherScope}"`
            : OBJECT,
      },
    )
    .check(
      z.refine((object) => Object.keys(object).length > 0, {
        error: OBJECT,
        when: ({ issues }) => issues.length === 0,
      }),
    );
  return policy;
}

/** Finds shapes that SNS would refuse, and names that no event has. */
export function filterPolicyProblems(
  policy: unknown,
  scope: FilterPolicyScope,
): FilterPolicyProblem[] {
  const { error } = POLICIES[scope].safeParse(policy);
  return (error?.issues ?? []).flatMap((issue) => {
    const path = issue.path as Path;
    const paths =
      issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...path, key]) : [path];
    return paths.map((each) => ({ path: each, allowed: issue.message }));
  });
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
