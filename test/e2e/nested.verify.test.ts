import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Subscriber } from '../../infra/local/stack/subscriber.ts';
import { startTestStack, takeEvents, type TestStack } from './stack.ts';

let stack: TestStack;
let subscriber: Subscriber;
let projectId: string;

beforeAll(async () => {
  // Before both dates of the changelog: items and sheets come with their parents.
  stack = await startTestStack({ serviceVersion: '2021-03-01' });
  subscriber = await stack.subscribe();
  projectId = stack.service.world.projects.create({ name: 'Harbour Office' }).id;
  await stack.invoke();
});

afterAll(() => stack.close());

/** Creates a checklist with one item. */
function createItem(checklist: string, name: string) {
  const { checklists } = stack.service.world;
  const { id } = checklists.create(projectId, { name: checklist });
  const { template_check_items: items } = checklists.addItem(projectId, id, { name });
  return { projectId, checklistId: id, itemId: items.at(-1)?.id ?? '' };
}

describe('a deployment with an older Service-Version', () => {
  it('publishes events for the items of a checklist', async () => {
    const { checklists } = stack.service.world;
    const item = createItem('Fire doors', 'Seal');
    await stack.invoke();
    const created = await takeEvents(subscriber);
    expect(created).toContain(`template_checklist.created ${item.checklistId}`);
    expect(created).toContain(`template_check_item.created ${item.itemId}`);
    checklists.updateItem(item, () => ({ name: 'Seal intact' }));
    await stack.invoke();
    expect(await takeEvents(subscriber)).toContain(`template_check_item.updated ${item.itemId}`);
    checklists.updateItem(item, (time) => ({ deleted_at: time }));
    await stack.invoke();
    expect(await takeEvents(subscriber)).toContain(`template_check_item.deleted ${item.itemId}`);
    checklists.updateItem(item, () => ({ deleted_at: null }));
    await stack.invoke();
    expect(await takeEvents(subscriber)).toContain(`template_check_item.restored ${item.itemId}`);
  });

  it('treats a missing item as deleted', async () => {
    const { checklists } = stack.service.world;
    const item = createItem('Scaffold', 'Tag');
    await stack.invoke();
    await subscriber.drain();
    stack.service.behaviour.deletedItems = 'left_out';
    checklists.updateItem(item, (time) => ({ deleted_at: time }));
    await stack.invoke();
    expect(await takeEvents(subscriber)).toContain(`template_check_item.deleted ${item.itemId}`);
    checklists.updateItem(item, () => ({ deleted_at: null }));
    await stack.invoke();
    expect(await takeEvents(subscriber)).toContain(`template_check_item.restored ${item.itemId}`);
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
