import {
  filterPolicyProblems,
  type FilterPolicyProblem,
  type FilterPolicyScope,
} from './filter-policy-problems.ts';

/** A filter policy, or what is wrong with it. */
export type ParsedPolicy =
  | { readonly policy: Readonly<Record<string, unknown>> }
  | { readonly problem: string };

/** Reads the text of an SNS filter policy. */
export function parseFilterPolicy(text: string, scope: FilterPolicyScope): ParsedPolicy {
  let policy: unknown;
  try {
    policy = JSON.parse(text);
  } catch (error) {
    return { problem: `The filter policy is not JSON: ${(error as Error).message}` };
  }
  if (typeof policy !== 'object' || policy === null || Array.isArray(policy)) {
    return { problem: 'The filter policy is no object; allowed: {"entity": ["project"]}' };
  }
  const problems = filterPolicyProblems(policy as Record<string, unknown>, scope);
  if (problems.length === 0) return { policy: policy as Record<string, unknown> };
  return { problem: problems.map((problem) => describe(problem, policy)).join('\n') };
}

function describe({ path, allowed }: FilterPolicyProblem, policy: object): string {
  const value = path.reduce<unknown>(
    (at, key) => (at as Record<string | number, unknown>)[key],
    policy,
  );
  const field = path.length === 0 ? 'The filter policy' : path.join('.');
  return `${field} is ${(JSON.stringify(value) ?? 'absent').slice(0, 200)}; allowed: ${allowed}`;
}
