import type { EventType } from '../../functions/core/contract/index.ts';
import type { RunningService } from '../../infra/local/service/server.ts';
import type { Sheet } from '../../infra/local/service/world/entities.ts';
import { API_USER_ID } from '../../infra/local/service/world/world.ts';

/** Something that happens at the service. */
export interface Deed {
  /** In words. */
  readonly title: string;
  /** What it is an example of; it may come to further events. */
  readonly type: EventType;
  readonly happens: () => void;
  /** Whether the event is larger than a message may be. */
  readonly isTooLarge?: true;
}

/** Characters of a description that alone is larger than a message may be. */
const HUGE = 300_000;

/** What happens for the examples, of each event type one at least, in an order that makes sense. */
export function deedsAt(service: RunningService): Deed[] {
  return [...projectDeeds(service), ...floorplanDeeds(service), ...checklistDeeds(service)];
}

function projectDeeds(service: RunningService): Deed[] {
  const { projects } = service.world;
  const id = firstProject(service);
  return [
    {
      title: 'A project is given another name and colour',
      type: 'project.updated',
      happens: () => projects.update(id, { name: 'Harbour Tower', color: '#0B7285' }),
    },
    {
      title: 'A project is begun',
      type: 'project.created',
      happens: () => projects.create({ name: 'Canal Bridge', code: 'CB-1' }),
    },
    {
      title: 'A project is deleted',
      type: 'project.deleted',
      happens: () => projects.remove(newestOf(projects.list).id),
    },
    {
      title: 'A deleted project is restored',
      type: 'project.restored',
      happens: () => projects.restore(newestOf(projects.list).id),
    },
  ];
}

function floorplanDeeds(service: RunningService): Deed[] {
  const { floorplans } = service.world;
  const project = firstProject(service);
  const list = floorplans.list(project);
  /** The service has no operation for this. Its answers may show it. */
  const changeSheet = (fields: (time: string) => Partial<Sheet>): void => {
    const floorplan = newestOf(list);
    const time = new Date(service.world.now()).toISOString();
    if (floorplan.current_sheet === null) throw new Error('the floorplan has no sheet');
    const sheet = { ...floorplan.current_sheet, ...fields(time), updated_at: time };
    list.put({ ...floorplan, current_sheet: sheet, updated_at: time });
  };
  return [
    {
      title: 'A floorplan is made',
      type: 'floorplan.created',
      happens: () => floorplans.create(project, { name: 'Level 2' }),
    },
    {
      title: 'A drawing is uploaded to a floorplan, and is its current sheet from now on',
      type: 'sheet.created',
      happens: () => floorplans.uploadSheet(project, newestOf(list).id),
    },
    {
      title: 'A floorplan is turned',
      type: 'floorplan.updated',
      happens: () => floorplans.rotate(project, newestOf(list).id),
    },
    {
      title: 'A floorplan is given another name, and its current sheet with it',
      type: 'sheet.updated',
      happens: () => floorplans.update(project, newestOf(list).id, { name: 'Level 2 West' }),
    },
    {
      title: 'The current sheet of a floorplan is deleted',
      type: 'sheet.deleted',
      happens: () => {
        changeSheet((time) => ({ deleted_at: time }));
      },
    },
    {
      title: 'The current sheet of a floorplan is restored',
      type: 'sheet.restored',
      happens: () => {
        changeSheet(() => ({ deleted_at: null }));
      },
    },
    {
      title: 'A floorplan is deleted',
      type: 'floorplan.deleted',
      happens: () => floorplans.remove(project, newestOf(list).id),
    },
    {
      title: 'A deleted floorplan is restored',
      type: 'floorplan.restored',
      happens: () => floorplans.restore(project, newestOf(list).id),
    },
    {
      title: 'A floorplan is given a description that is too large for the topic',
      type: 'floorplan.updated',
      isTooLarge: true,
      happens: () =>
        floorplans.update(project, newestOf(list).id, {
          description: 'Mind the step. '.repeat(HUGE / 15),
        }),
    },
  ];
}

function checklistDeeds(service: RunningService): Deed[] {
  const { checklists } = service.world;
  const project = firstProject(service);
  const list = checklists.list(project);
  const user = API_USER_ID;
  const item = () => {
    const { id, template_check_items: items } = newestOf(list);
    return { projectId: project, checklistId: id, itemId: items.at(-1)?.id ?? '' };
  };
  return [
    {
      title: 'A template checklist is made',
      type: 'template_checklist.created',
      happens: () => checklists.create(project, { name: 'Formwork' }, user),
    },
    {
      title: 'A template checklist is given another name by another user',
      type: 'template_checklist.updated',
      happens: () =>
        checklists.update(project, newestOf(list).id, { name: 'Formwork, walls' }, user + 1),
    },
    {
      title: 'An item is added to a template checklist',
      type: 'template_check_item.created',
      happens: () => checklists.addItem(project, newestOf(list).id, { name: 'Props plumb' }, user),
    },
    {
      title: 'An item of a template checklist is given another name',
      type: 'template_check_item.updated',
      happens: () => checklists.updateItem(item(), { name: 'Props plumb and braced' }, user),
    },
    {
      title: 'An item of a template checklist is deleted, and marked so by the service',
      type: 'template_check_item.deleted',
      happens: () => checklists.removeItem(item(), user),
    },
    {
      title: 'A deleted item of a template checklist is restored',
      type: 'template_check_item.restored',
      happens: () => checklists.restoreItem(item(), user),
    },
    {
      title:
        'An item is gone from its template checklist: it comes as it was last seen, not marked as deleted',
      type: 'template_check_item.deleted',
      happens: () => {
        service.behaviour.deletedItems = 'left_out';
        checklists.removeItem(item(), user);
      },
    },
    {
      title: 'A template checklist is deleted',
      type: 'template_checklist.deleted',
      happens: () => checklists.remove(project, newestOf(list).id),
    },
    {
      title: 'A deleted template checklist is restored',
      type: 'template_checklist.restored',
      happens: () => checklists.restore(project, newestOf(list).id),
    },
  ];
}

function firstProject({ world }: RunningService): string {
  const [project] = world.projects.list.all();
  if (project === undefined) throw new Error('the world has no project');
  return project.id;
}

/** What changed last in a list. */
function newestOf<T>(list: { all: () => readonly T[] }): T {
  const row = list.all().at(-1);
  if (row === undefined) throw new Error('the list is empty');
  return row;
}
