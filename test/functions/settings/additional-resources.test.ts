import { describe, expect, it } from 'vitest';
import { additionalResources } from '../../../functions/settings/additional-resources.ts';
import { describeProblems } from '../../../functions/settings/describe-problems.ts';

const LIST = { name: 'checklists', entity: 'checklist', path: '/projects/{project_id}/checklists' };
const OTHER = { name: 'tasks', entity: 'task', path: '/projects/{project_id}/tasks' };

function problemsOf(resources: unknown): string {
  const { error } = additionalResources.safeParse(resources);
  return error === undefined ? '' : describeProblems(error, resources);
}

describe('additionalResources', () => {
  it.each([
    [{}, '', 'is {}; allowed: a list of objects with name, entity and path'],
    [[5], '[0]', 'is 5; allowed: the fields name, entity, path'],
    [[{ ...LIST, name: undefined }], '[0].name', 'is missing; allowed: a name'],
    [[{ ...LIST, name: 'Check lists' }], '[0].name', 'is "Check lists"; allowed: a name'],
    [[LIST, { ...OTHER, entity: 'checklist' }], '[1].entity', 'a word that no other entry has'],
    [[5, LIST, LIST], '[2].name', 'a name that no other entry has'],
    [[{ ...LIST, path: '/projects' }], '[0].path', 'below /projects/{project_id}'],
    [[{ ...LIST, path: '/projects/4711/tasks' }], '[0].path', 'not below /projects'],
    [
      [{ ...LIST, path: '/projects/{project_id}/../x' }],
      '[0].path',
      'below /projects/{project_id}',
    ],
    [[{ ...LIST, nested: [] }], '[0].nested', 'is not known; allowed: the fields name, entity'],
    [[LIST, { ...LIST, name: 'more' }], '[1].path', 'a path that no other entry has'],
  ])('refuses %j', (resources, field, problem) => {
    expect(problemsOf(resources)).toContain(`  ${field} `);
    expect(problemsOf(resources)).toContain(problem);
  });

  it.each(['/users', '/account/users', '/projects_of_users'])('accepts the path %s', (path) => {
    expect(problemsOf([{ ...LIST, path }])).toBe('');
  });
});
