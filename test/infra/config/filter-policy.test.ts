import { describe, expect, it } from 'vitest';
import {
  filterPolicyProblems,
  type FilterPolicyScope,
} from '../../../infra/config/filter-policy.ts';

/** Problems as `path: allowed`. */
const problemsIn = (policy: unknown, scope: FilterPolicyScope = 'MessageAttributes'): string[] =>
  filterPolicyProblems(policy, scope).map(({ path, allowed }) => `${path.join('.')}: ${allowed}`);

describe('a filter policy', () => {
  it.each<[unknown, FilterPolicyScope]>([
    [{ type: ['project.created', { prefix: 'floorplan.' }] }, 'MessageAttributes'],
    [{ $or: [{ entity: ['sheet'] }, { action: [{ exists: true }] }] }, 'MessageAttributes'],
    [{ cause: [{ 'anything-but': ['replay'] }], changed: ['name'] }, 'MessageAttributes'],
    [{ data: { object: { rotation: [90, null, { numeric: ['>', 1] }] } } }, 'MessageBody'],
    [{ data: { $or: [{ changed: ['name'] }, { object: { x: [true] } }] } }, 'MessageBody'],
  ])('may be %j of %s', (policy, scope) => {
    expect(problemsIn(policy, scope)).toEqual([]);
  });

  it.each<[unknown, string]>([
    [{}, ': an object with conditions'],
    [{ entity: 'sheet' }, 'entity: a list of at least one value or condition'],
    [{ entity: [] }, 'entity: a list of at least one value or condition'],
    [{ account_id: [4711] }, 'account_id.0: a text, in quotes, since all attributes are texts'],
    [{ type: [{ prefx: 'a' }] }, 'type.0: a text, in quotes'],
    [{ type: [{ prefix: 'a', suffix: 'b' }] }, 'type.0: a text, in quotes'],
    [{ subject: ['x'] }, 'subject: type, entity, action, project_id, account_id, cause, changed;'],
    [{ $or: [{ type: ['a'] }] }, '$or: a list of at least two objects with conditions'],
    [{ $or: [{ type: ['a'] }, {}] }, '$or.1: an object with conditions'],
  ])('of attributes may not be %j', (policy, problem) => {
    expect(problemsIn(policy)).toEqual([expect.stringContaining(problem)]);
  });

  it.each<[unknown, string]>([
    [{ entity: ['sheet'] }, 'other names with filterPolicyScope "MessageAttributes"'],
    [{ data: { object: {} } }, 'data.object: an object with conditions'],
    [{ data: { object: { x: [['y']] } } }, 'data.object.x.0: a text, a number, true, false, null'],
  ])('of the body may not be %j', (policy, problem) => {
    expect(problemsIn(policy, 'MessageBody')).toEqual([expect.stringContaining(problem)]);
  });
});
