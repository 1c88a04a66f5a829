import { EVENT_TYPES, type EventType } from '../../functions/core/contract/index.ts';
import { CHANGE_NAMES, CHANGES, makeChange } from '../../infra/local/simulator/changes.ts';
import type { Simulator } from '../../infra/local/simulator/simulator.ts';
import { API_USER_ID } from '../../infra/local/simulator/world/checklists.ts';
import type { Sheet } from '../../infra/local/simulator/world/entities.ts';
import { Random } from '../../infra/local/simulator/world/random.ts';

/** Something that happens at the service. */
export interface Deed {
  /** In words. */
  readonly title: string;
  /** The type of its example. It may cause further events. */
  readonly type: EventType;
  readonly happens: () => unknown;
  /** Whether the event is larger than a message may be. */
  readonly isTooLarge?: true;
}

function deed(title: string, type: EventType, happens: () => unknown): Deed {
  return { title, type, happens };
}

/** Characters of a description that alone is larger than a message may be. */
const HUGE = 300_000;

/** The changes of the examples in their order: at least one for each event type. */
export function deedsAt(service: Simulator): Deed[] {
  const own = [...projectDeeds(service), ...floorplanDeeds(service), ...checklistDeeds(service)];
  return [...own, ...otherDeeds(service, new Set(own.map(({ type }) => type)))];
}

/** Changes of other entities, as far as the simulator makes some. */
function otherDeeds({ world }: Simulator, shown: ReadonlySet<EventType>): Deed[] {
  const random = new Random(1, 'examples');
  return EVENT_TYPES.filter((type) => !shown.has(type)).flatMap((type) => {
    const name = CHANGE_NAMES.find((each) => CHANGES[each].type === type);
    if (name === undefined) return [];
    return deed(`The change "${name}"`, type, () => makeChange(name, world, random));
  });
}

function projectDeeds(service: Simulator): Deed[] {
  const { projects } = service.world;
  const id = firstProject(service);
  return [
    deed('A project is given another name and colour', 'project.updated', () =>
      projects.update(id, { name: 'Harbour Tower', color: '#0B7285' }),
    ),
    deed('A project is begun', 'project.created', () =>
      projects.create({ name: 'Canal Bridge', code: 'CB-1' }),
    ),
    deed('A project is deleted', 'project.deleted', () =>
      projects.remove(newestOf(projects.list).id),
    ),
    deed('A deleted project is restored', 'project.restored', () =>
      projects.restore(newestOf(projects.list).id),
    ),
  ];
}

function floorplanDeeds(service: Simulator): Deed[] {
  const { floorplans } = service.world;
  const project = firstProject(service);
  const list = floorplans.list(project);
  const changeSheet = (fields: (time: string) => Partial<Sheet>): unknown =>
    floorplans.updateSheet(project, newestOf(list).id, fields);
  return [
    deed('A floorplan is made', 'floorplan.created', () =>
      floorplans.create(project, { name: 'Level 2' }),
    ),
    deed(
      'A drawing is uploaded to a floorplan, and is its current sheet from now on',
      'sheet.created',
      () => floorplans.uploadSheet(project, newestOf(list).id),
    ),
    deed('A floorplan is turned', 'floorplan.updated', () =>
      floorplans.rotate(project, newestOf(list).id),
    ),
    deed('A floorplan is given another name, and its current sheet with it', 'sheet.updated', () =>
      floorplans.update(project, newestOf(list).id, { name: 'Level 2 West' }),
    ),
    deed('The current sheet of a floorplan is deleted', 'sheet.deleted', () =>
      changeSheet((time) => ({ deleted_at: time })),
    ),
    deed('The current sheet of a floorplan is restored', 'sheet.restored', () =>
      changeSheet(() => ({ deleted_at: null })),
    ),
    deed('A floorplan is deleted', 'floorplan.deleted', () =>
      floorplans.remove(project, newestOf(list).id),
    ),
    deed('A deleted floorplan is restored', 'floorplan.restored', () =>
      floorplans.restore(project, newestOf(list).id),
    ),
    {
      ...deed(
        'A floorplan is given a description that is too large for the topic',
        'floorplan.updated',
        () =>
          floorplans.update(project, newestOf(list).id, {
            description: 'Mind the step. '.repeat(HUGE / 15),
          }),
      ),
      isTooLarge: true,
    },
  ];
}

function checklistDeeds(service: Simulator): Deed[] {
  const { checklists } = service.world;
  const project = firstProject(service);
  const list = checklists.list(project);
  const user = API_USER_ID;
  const item = () => {
    const { id, template_check_items: items } = newestOf(list);
    return { projectId: project, checklistId: id, itemId: items.at(-1)?.id ?? '' };
  };
  return [
    deed('A template checklist is made', 'template_checklist.created', () =>
      checklists.create(project, { name: 'Formwork' }, user),
    ),
    deed(
      'A template checklist is given another name by another user',
      'template_checklist.updated',
      () => checklists.update(project, newestOf(list).id, { name: 'Formwork, walls' }, user + 1),
    ),
    deed('An item is added to a template checklist', 'template_check_item.created', () =>
      checklists.addItem(project, newestOf(list).id, { name: 'Props plumb' }, user),
    ),
    deed(
      'An item of a template checklist is given another name',
      'template_check_item.updated',
      () => checklists.updateItem(item(), () => ({ name: 'Props plumb and braced' }), user),
    ),
    deed(
      'An item of a template checklist is deleted, and marked so by the service',
      'template_check_item.deleted',
      () => checklists.updateItem(item(), (time) => ({ deleted_at: time }), user),
    ),
    deed('A deleted item of a template checklist is restored', 'template_check_item.restored', () =>
      checklists.updateItem(item(), () => ({ deleted_at: null }), user),
    ),
    deed(
      'An item is gone from its template checklist: it comes as it was last seen, not marked as deleted',
      'template_check_item.deleted',
      () => {
        service.behaviour.deletedItems = 'left_out';
        checklists.updateItem(item(), (time) => ({ deleted_at: time }), user);
      },
    ),
    deed('A template checklist is deleted', 'template_checklist.deleted', () =>
      checklists.remove(project, newestOf(list).id),
    ),
    deed('A deleted template checklist is restored', 'template_checklist.restored', () =>
      checklists.restore(project, newestOf(list).id),
    ),
  ];
}

function firstProject({ world }: Simulator): string {
  const [project] = world.projects.list.all();
  if (project === undefined) throw new Error('the world has no project');
  return project.id;
}

/** The entity of a list that changed last. */
function newestOf<T>(list: { all: () => readonly T[] }): T {
  const row = list.all().at(-1);
  if (row === undefined) throw new Error('the list is empty');
  return row;
}
