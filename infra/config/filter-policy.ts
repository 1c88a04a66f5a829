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
  /** Where in the policy. */
  readonly path: readonly string[];
  readonly allowed: string;
}

/** What SNS would refuse in a policy, or would never let match. */
export function filterPolicyProblems(
  policy: Readonly<Record<string, unknown>>,
  scope: 'MessageAttributes' | 'MessageBody',
): FilterPolicyProblem[] {
  const keys = Object.keys(policy);
  if (keys.length === 0 || keys.length > MOST_KEYS) {
    return [{ path: [], allowed: `a filter policy of 1 to ${MOST_KEYS} keys` }];
  }
  const problems = Object.entries(policy).flatMap(([key, condition]) => {
    const isAttribute = (ATTRIBUTES as readonly string[]).includes(key);
    if (scope === 'MessageAttributes' && key !== '$or' && !isAttribute) {
      const allowed = `the attributes ${ATTRIBUTES.join(', ')}; others only with filterPolicyScope "MessageBody"`;
      return [{ path: [key], allowed }];
    }
    return problemsOf(condition, [key], scope === 'MessageBody');
  });
  if (problems.length > 0) return problems;
  const combinations = combinationsOf(policy);
  if (combinations <= MOST_COMBINATIONS) return [];
  const allowed = `at most ${MOST_COMBINATIONS} combinations of values, this policy has ${combinations}`;
  return [{ path: [], allowed }];
}

function problemsOf(
  condition: unknown,
  path: readonly string[],
  mayNest: boolean,
): FilterPolicyProblem[] {
  if (Array.isArray(condition)) {
    if (condition.length > 0) return [];
    return [{ path, allowed: 'a list of at least one value or condition' }];
  }
  if (mayNest && isObject(condition) && Object.keys(condition).length > 0) {
    return Object.entries(condition).flatMap(([key, inner]) =>
      problemsOf(inner, [...path, key], mayNest),
    );
  }
  const allowed = mayNest
    ? 'a list of values or conditions, or an object that leads to one'
    : 'a list of values or conditions';
  return [{ path, allowed }];
}

/** The number of values of each key, times its depth, all multiplied: so SNS counts. */
function combinationsOf(policy: Readonly<Record<string, unknown>>, depth = 1): number {
  return Object.values(policy).reduce<number>((product, condition) => {
    if (Array.isArray(condition)) return product * condition.length * depth;
    return product * (isObject(condition) ? combinationsOf(condition, depth + 1) : 1);
  }, 1);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
