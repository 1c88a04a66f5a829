import { conditionProblem, isOperator } from './filter-conditions.ts';

/** Attributes of every message, by which a policy on attributes can filter. */
const ATTRIBUTES = [
  'type',
  'entity',
  'action',
  'project_id',
  'account_id',
  'cause',
  'changed',
] as const;

// Limits of SNS, see "Filter policy constraints" in its guide.
const MOST_KEYS = 5;
const MOST_COMBINATIONS = 150;

/** What is wrong with a filter policy. */
export interface FilterPolicyProblem {
  /** Where in the policy: keys, and places in lists. */
  readonly path: readonly (string | number)[];
  readonly allowed: string;
}

type Scope = 'MessageAttributes' | 'MessageBody';
type Path = FilterPolicyProblem['path'];
type Policy = Readonly<Record<string, unknown>>;

/** What SNS would refuse in a policy, or would never let match. */
export function filterPolicyProblems(policy: Policy, scope: Scope): FilterPolicyProblem[] {
  const keys = Object.keys(policy);
  if (Math.max(keys.length, namesIn(policy).size) > MOST_KEYS || keys.length === 0) {
    return [
      { path: [], allowed: `a filter policy of 1 to ${MOST_KEYS} keys, those in $or included` },
    ];
  }
  const problems = problemsOfObject(policy, [], scope);
  if (problems.length > 0) return problems;
  const combinations = combinationsOf(policy);
  if (combinations <= MOST_COMBINATIONS) return [];
  const allowed = `at most ${MOST_COMBINATIONS} combinations of values, this policy has ${combinations}`;
  return [{ path: [], allowed }];
}

/** The names that a policy has conditions on. The guide does not say that those in `$or` are not counted. */
function namesIn(policy: Policy): Set<string> {
  return new Set(
    Object.entries(policy).flatMap(([key, condition]) =>
      key === '$or' ? alternativesOf(condition).flatMap((each) => [...namesIn(each)]) : [key],
    ),
  );
}

/** The problems of a policy, of an object of its `$or`, or of an object within the body. */
function problemsOfObject(object: Policy, path: Path, scope: Scope): FilterPolicyProblem[] {
  return Object.entries(object).flatMap(([key, condition]) => {
    const here = [...path, key];
    if (key === '$or') return problemsOfOr(condition, here, scope);
    if (scope === 'MessageAttributes' && !(ATTRIBUTES as readonly string[]).includes(key)) {
      const allowed = `the attributes ${ATTRIBUTES.join(', ')}; others only with filterPolicyScope "MessageBody"`;
      return [{ path: here, allowed }];
    }
    return problemsOf(condition, here, scope);
  });
}

/** SNS takes for an attribute of this name what is not like this. */
function problemsOfOr(alternatives: unknown, path: Path, scope: Scope): FilterPolicyProblem[] {
  if (!Array.isArray(alternatives) || alternatives.length < 2) {
    return [{ path, allowed: 'a list of at least two objects with conditions' }];
  }
  return alternatives.flatMap((alternative: unknown, index) => {
    const here = [...path, index];
    if (!isObject(alternative) || Object.keys(alternative).length === 0) {
      return [{ path: here, allowed: 'an object with conditions' }];
    }
    const reserved = Object.keys(alternative).filter(isOperator);
    if (reserved.length === 0) return problemsOfObject(alternative, here, scope);
    return reserved.map((key) => ({ path: [...here, key], allowed: 'a name that is no operator' }));
  });
}

function problemsOf(condition: unknown, path: Path, scope: Scope): FilterPolicyProblem[] {
  if (Array.isArray(condition)) {
    if (condition.length === 0) {
      return [{ path, allowed: 'a list of at least one value or condition' }];
    }
    return condition.flatMap((item: unknown, index) => {
      const problem = conditionProblem(item, scope);
      return problem ? [{ ...problem, path: [...path, index, ...problem.path] }] : [];
    });
  }
  const mayNest = scope === 'MessageBody';
  if (mayNest && isObject(condition) && Object.keys(condition).length > 0) {
    return problemsOfObject(condition, path, scope);
  }
  const allowed = mayNest
    ? 'a list of values or conditions, or an object that leads to one'
    : 'a list of values or conditions';
  return [{ path, allowed }];
}

/**
 * The number of values of each key, times its depth, all multiplied: so SNS counts. How it counts `$or`
 * its guide does not say. Each of its objects makes one policy with what is outside, so that their
 * combinations add up.
 */
function combinationsOf(policy: Policy, depth = 1): number {
  return Object.entries(policy).reduce<number>((product, [key, condition]) => {
    if (key === '$or') {
      const each = alternativesOf(condition).map((policy) => combinationsOf(policy, depth));
      return product * each.reduce((sum, combinations) => sum + combinations, 0);
    }
    if (Array.isArray(condition)) return product * condition.length * depth;
    return product * (isObject(condition) ? combinationsOf(condition, depth + 1) : 1);
  }, 1);
}

/** The objects of an `$or`. */
function alternativesOf(or: unknown): Policy[] {
  return Array.isArray(or) ? or.filter(isObject) : [];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
