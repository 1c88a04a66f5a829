import { describe, expect, it } from 'vitest';
import { configuredResource, newFeed } from '../../../../functions/core/model/feed.ts';
import {
  entitiesOf,
  isSelectedProject,
  makeCatalog,
  type Resource,
} from '../../../../functions/core/model/resource-catalog.ts';

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

  it('has lists of the account apart from those of projects', () => {
    const users: Resource = { name: 'users', entity: 'user', path: '/users' };
    const catalog = makeCatalog({ additionalResources: [tasks, users], resources: [] });
    expect(catalog.perAccount).toEqual([users]);
    expect(catalog.selection.resources).toEqual(['tasks', 'users']);
    expect(entitiesOf(makeCatalog().perProject).slice(0, 2)).toEqual(['floorplan', 'sheet']);
    expect(catalog.perProject).not.toContainEqual(users);
    expect(configuredResource(catalog, newFeed(users, 'live'))).toEqual(users);
    expect(configuredResource(makeCatalog(), newFeed(users, 'live'))).toBeUndefined();
  });

  it('sends the query parameters of config with the list that they name, besides its own', () => {
    const query = { projects: { a: '1' }, floorplans: { b: '2' }, tasks: { c: '3' } };
    const options = { withCurrentSheet: true, additionalResources: [tasks], query };
    const { projects, perProject } = makeCatalog(options);
    expect([projects, ...perProject].map((resource) => [resource.name, resource.query])).toEqual([
      ['projects', { a: '1' }],
      ['floorplans', { with_current_sheet: 'true', b: '2' }],
      ['template_checklists', undefined],
      ['tasks', { c: '3' }],
    ]);
  });

  it('selects a project by its id, whatever the case of its letters', () => {
    const id = '876c7fcc-4f08-4090-945e-d20f16c243ec';
    const select = (entry: string, projectId: string) =>
      isSelectedProject(makeCatalog({ projects: [entry] }).selection, projectId);
    expect(select(id.toUpperCase(), id)).toBe(true);
    expect(select(id, id.toUpperCase())).toBe(true);
    expect(select(id.toUpperCase(), id.replace('8', '9'))).toBe(false);
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
