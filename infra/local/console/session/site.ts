import { isAlive, type NamedRow } from '../../simulator/kinds.ts';
import type { Simulator } from '../../simulator/simulator.ts';
import type { Row } from '../../simulator/world/entity-list.ts';
import { MAX_ROWS, type ChangeAnswer, type Requests, type SiteView } from '../protocol.ts';

type Site = Pick<Simulator, 'world' | 'change'>;

/** Reads all projects of the simulated service, and the content of one: by default the fullest. */
export function readSite({ world }: Pick<Site, 'world'>, projectId?: string): SiteView {
  const { projects, floorplans, checklists } = world;
  const sizeOf = ({ id }: Row): number => floorplans.list(id).all().filter(isAlive).length;
  const living = projects.all().filter(isAlive);
  const asked = projects.all().find(({ id }) => id === projectId);
  const id = (asked ?? living.toSorted((a, b) => sizeOf(b) - sizeOf(a))[0])?.id;
  const named = sorted(projects.all()).map(toNamed);
  if (id === undefined) return { projects: named, floorplans: [], checklists: [] };
  return {
    projects: named,
    projectId: id,
    floorplans: sorted(floorplans.list(id).all())
      .slice(0, MAX_ROWS)
      .map((plan) => ({ ...toNamed(plan), details: `${plan.rotation}°` })),
    checklists: sorted(checklists.list(id).all())
      .slice(0, MAX_ROWS)
      .map((list) => ({ ...toNamed(list), details: `${list.template_check_items.length} items` })),
  };
}

/** Makes a change in the simulated service. @throws Error if the service refuses it. */
export function changeSite({ change: make }: Site, request: Requests['change']): ChangeAnswer {
  const { change, ...wish } = request;
  const subject = make(change, wish);
  if (subject === undefined) throw new Error(`The service has no entity to ${change}.`);
  return { ids: [subject.slice(subject.lastIndexOf('/') + 1)] };
}

function toNamed({ id, name, deleted_at }: NamedRow) {
  return { id, name, isDeleted: deleted_at !== null };
}

/** By name, the deleted ones last. */
function sorted<R extends NamedRow>(rows: readonly R[]): R[] {
  return rows.toSorted(
    (a, b) => Number(isAlive(b)) - Number(isAlive(a)) || a.name.localeCompare(b.name),
  );
}
