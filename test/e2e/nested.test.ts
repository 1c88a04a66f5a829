import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Subscriber } from '../../infra/local/stack/subscriber.ts';
import { startTestStack, takeEvents, type TestStack } from './stack.ts';

const USER = 1;

let stack: TestStack;
let subscriber: Subscriber;
let projectId: string;

beforeAll(async () => {
  // Before both dates of the changelog: items and sheets come with their parents.
  stack = await startTestStack({ serviceVersion: '2021-03-01' });
  subscriber = await stack.subscribe({ raw: true });
  projectId = stack.service.world.projects.create({ name: 'Harbour Office' }).id;
  await stack.invoke();
});

afterAll(() => stack.close());

describe('a deployment with an older Service-Version', () => {
  it('publishes events for the items of a checklist', async () => {
    const { checklists } = stack.service.world;
    const { id } = checklists.create(projectId, { name: 'Fire doors' }, USER);
    const { template_check_items: items } = checklists.addItem(
      projectId,
      id,
      { name: 'Seal' },
      USER,
    );
    const itemId = items.at(-1)?.id ?? '';
    await stack.invoke();
    const created = await takeEvents(subscriber);
    expect(created).toContain(`template_checklist.created ${id}`);
    expect(created).toContain(`template_check_item.created ${itemId}`);
    const at = { projectId, checklistId: id, itemId };
    checklists.updateItem(at, { name: 'Seal intact' }, USER);
    await stack.invoke();
    expect(await takeEvents(subscriber)).toContain(`template_check_item.updated ${itemId}`);
    checklists.removeItem(at, USER);
    await stack.invoke();
    expect(await takeEvents(subscriber)).toContain(`template_check_item.deleted ${itemId}`);
    checklists.restoreItem(at, USER);
    await stack.invoke();
    expect(await takeEvents(subscriber)).toContain(`template_check_item.restored ${itemId}`);
  });

  it('treats a missing item as deleted', async () => {
    const { checklists } = stack.service.world;
    const { id } = checklists.create(projectId, { name: 'Scaffold' }, USER);
    const { template_check_items: items } = checklists.addItem(
      projectId,
      id,
      { name: 'Tag' },
      USER,
    );
    const itemId = items.at(-1)?.id ?? '';
    await stack.invoke();
    await subscriber.drain();
    stack.service.behaviour.deletedItems = 'left_out';
    const at = { projectId, checklistId: id, itemId };
    checklists.removeItem(at, USER);
    await stack.invoke();
    expect(await takeEvents(subscriber)).toContain(`template_check_item.deleted ${itemId}`);
    checklists.restoreItem(at, USER);
    await stack.invoke();
    expect(await takeEvents(subscriber)).toContain(`template_check_item.restored ${itemId}`);
  });

  it('publishes events for the current sheet of a floorplan', async () => {
    const { floorplans } = stack.service.world;
    const plan = floorplans.create(projectId, { name: 'Level 1' });
    const { current_sheet: sheet } = floorplans.uploadSheet(projectId, plan.id);
    await stack.invoke();
    expect(await takeEvents(subscriber)).toEqual([
      `floorplan.created ${plan.id}`,
      `sheet.created ${sheet?.id}`,
    ]);
    floorplans.rotate(projectId, plan.id);
    await stack.invoke();
    expect(await takeEvents(subscriber)).toEqual([
      `floorplan.updated ${plan.id}`,
      `sheet.updated ${sheet?.id}`,
    ]);
    const { current_sheet: next } = floorplans.uploadSheet(projectId, plan.id);
    await stack.invoke();
    expect(await takeEvents(subscriber)).toEqual([
      `floorplan.updated ${plan.id}`,
      `sheet.created ${next?.id}`,
    ]);
  });
});
