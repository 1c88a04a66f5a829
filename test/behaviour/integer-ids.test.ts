import { expect, it } from 'vitest';
import { parseChangeEvent } from '../../functions/core/contract/parse.ts';
import type { JsonObject } from '../../functions/core/model/entity.ts';
import { timeAt } from '../support/list-service.ts';
import { checklistsOf, floorplansOf, PROJECTS, Site } from '../support/site.ts';

function entity(id: number, second: number, fields: JsonObject = {}): JsonObject {
  return { id, updated_at: timeAt(second), deleted_at: null, ...fields };
}

/** A site whose ids are all integers, and a notifier that knows project 1 without content. */
async function integerSite(): Promise<Site> {
  const site = new Site({ clock: () => Date.parse(timeAt(1000)) });
  site.api.put(PROJECTS, entity(1, 1));
  site.api.put(floorplansOf('1'));
  site.api.put(checklistsOf('1'));
  await site.poll();
  return site;
}

it('integer ids are text in subjects, keys and feeds, and stay integers in the entities', async () => {
  const site = await integerSite();
  const item = { project_id: 1, template_checklist_id: 20 };
  site.api.put(floorplansOf('1'), entity(10, 2, { current_sheet: entity(0, 2) }));
  site.api.put(
    checklistsOf('1'),
    entity(20, 2, { project_id: 1, template_check_items: [entity(-30, 2, item)] }),
  );
  await site.poll();
  const events = site.takeEvents().sort((a, b) => a.subject.localeCompare(b.subject));
  expect(
    events.map((event) => [
      event.subject,
      event.partitionkey,
      event.projectid,
      event.data.object.id,
    ]),
  ).toEqual([
    ['/projects/1/floorplans/10', '10', '1', 10],
    ['/projects/1/floorplans/10/sheets/0', '0', '1', 0],
    ['/projects/1/template_checklists/20', '20', '1', 20],
    ['/projects/1/template_checklists/20/template_check_items/-30', '-30', '1', -30],
  ]);
  for (const event of events) expect(parseChangeEvent(JSON.stringify(event))).toEqual(event);
  expect(events[0]?.data.object.current_sheet_id).toBe('0');
  expect(site.quarantine.items).toEqual([]);
});

it('an entity is the same whether its id is an integer or its text', async () => {
  const site = await integerSite();
  site.api.put(floorplansOf('1'), entity(10, 2));
  await site.catchUp();
  site.api.put(floorplansOf('1'), { ...entity(10, 3), id: '10' });
  expect(await site.events()).toEqual(['floorplan.updated 10']);
});
