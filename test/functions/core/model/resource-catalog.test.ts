import { describe, expect, it } from 'vitest';
import { makeCatalog, type Resource } from '../../../../functions/core/model/resource-catalog.ts';

const tasks: Resource = { name: 'tasks', entity: 'task', path: '/projects/{project_id}/tasks' };

describe('the catalog', () => {
  it('has the lists of the spec, and behind them those that config adds', () => {
    const { projects, perProject } = makeCatalog({ additionalResources: [tasks] });
    expect([projects, ...perProject].map(({ path, entity }) => [path, entity])).toEqual([
      ['/projects', 'project'],
      ['/projects/{project_id}/floorplans', 'floorplan'],
      ['/projects/{project_id}/template_checklists', 'template_checklist'],
      ['/projects/{project_id}/tasks', 'task'],
    ]);
    expect(makeCatalog().perProject).toHaveLength(2);
  });

  it('names each list by the last segment of its path', () => {
    const { projects, perProject } = makeCatalog();
    for (const { name, path } of [projects, ...perProject])
      expect(path.endsWith(`/${name}`)).toBe(true);
    expect(new Set(perProject.map(({ name }) => name)).size).toBe(perProject.length);
  });

  it('asks for the current sheet of floorplans only when config says so', () => {
    const queries = (withCurrentSheet: boolean) =>
      makeCatalog({ withCurrentSheet }).perProject.map(({ name, query }) => [name, query]);
    expect(queries(true)).toEqual([
      ['floorplans', { with_current_sheet: 'true' }],
      ['template_checklists', undefined],
    ]);
    expect(queries(false).map(([, query]) => query)).toEqual([undefined, undefined]);
  });
});
