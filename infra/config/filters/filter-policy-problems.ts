import { conditionProblem, isOperator } from './filter-conditions.ts';

/** Message attributes that a policy can filter by. */
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
const MAX_KEYS = 5;
const MAX_COMBINATIONS = 150;

export interface FilterPolicyProblem {
  /** Keys and list indexes that lead to the problem. */
  readonly path: readonly (string | number)[];
  readonly allowed: string;
}

/** What a policy is matched against. */
export type FilterPolicyScope = 'MessageAttributes' | 'MessageBody';
type Path = FilterPolicyProblem['path'];
type Policy = Readonly<Record<string, unknown>>;

/** Finds conditions that SNS refuses or that no message can meet. */
export function filterPolicyProblems(
  policy: Policy,
  scope: FilterPolicyScope,
): FilterPolicyProblem[] {
  const keys = Object.keys(policy);
  if (Math.max(keys.length, namesIn(policy).size) > MAX_KEYS || keys.length === 0) {
    return [
      { path: [], allowed: `a filter policy of 1 to ${MAX_KEYS} keys, those in $or included` },
    ];
  }
  const problems = problemsOfObject(policy, [], scope);
  if (problems.length > 0) return problems;
  const combinations = combinationsOf(policy);
  if (combinations <= MAX_COMBINATIONS) return [];
  const allowed = `at most ${MAX_COMBINATIONS} combinations of values, this policy has ${combinations}`;
  return [{ path: [], allowed }];
}

/** Names with conditions, those in `$or` included: SNS's guide does not exempt them from the limit. */
function namesIn(policy: Policy): Set<string> {
  return new Set(
    Object.entries(policy).flatMap(([key, condition]) =>
      key === '$or' ? alternativesOf(condition).flatMap((each) => [...namesIn(each)]) : [key],
    ),
  );
}

/** The problems of a policy, of an object of its `$or`, or of an object within the body. */
function problemsOfObject(
  object: Policy,
  path: Path,
  scope: FilterPolicyScope,
): FilterPolicyProblem[] {
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

/** SNS treats any other form of `$or` as an attribute of that name. */
function problemsOfOr(
  alternatives: unknown,
  path: Path,
  scope: FilterPolicyScope,
): FilterPolicyProblem[] {
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
    return reserved.map((key) => ({
      path: [...here, key],
      allowed: 'a name that is not an operator',
    }));
  });
}

function problemsOf(
  condition: unknown,
  path: Path,
  scope: FilterPolicyScope,
): FilterPolicyProblem[] {
  if (Array.isArray(condition)) {
    if (condition.length === 0) {
      return [{ path, allowed: 'a list of at least one value or condition' }];
    }
    return condition.flatMap((item: unknown, index) => {
      const problem = conditionProblem(item, scope);
      return problem ? [{ ...problem, path: [...path, index, ...problem.path] }] : [];
    });
  }
  const canNest = scope === 'MessageBody';
  if (canNest && isObject(condition) && Object.keys(condition).length > 0) {
    return problemsOfObject(condition, path, scope);
  }
  const allowed = canNest
    ? 'a list of values or conditions, or an object that leads to one'
    : 'a list of values or conditions';
  return [{ path, allowed }];
}

/**
 * SNS counts the values of each key times its depth, and multiplies these. Its guide does not mention
 * `$or`: each object in it forms one policy with the conditions outside, so their combinations add up.
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

function alternativesOf(or: unknown): Policy[] {
  return Array.isArray(or) ? or.filter(isObject) : [];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
