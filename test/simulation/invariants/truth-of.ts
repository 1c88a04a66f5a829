import type { JsonObject } from '../../../functions/core/model/entity.ts';
import { toFixedWidth } from '../../../functions/core/model/timestamp.ts';
import type { Delivery } from '../trace/delivery.ts';
import type { BuildingSite } from '../world/site.ts';
import { itemsShown, sheetShown, type List, type Row, type Version } from '../world/truth.ts';
import { isSame } from './expected.ts';

/** All versions of an event's entity that the service has shown. */
class Truth {
  /** The entity itself, or the parent of a nested entity. */
  readonly row: Row;
  readonly list: List;
  readonly project: Row | undefined;
  /** The entity in each version of the row. */
  readonly objects: readonly (JsonObject | undefined)[];
  readonly isNested: boolean;

  constructor(subject: string, site: BuildingSite) {
    const segments = subject.split('/').slice(1);
    const [, projectId = '', name, rowId = projectId, nestedName, nestedId = ''] = segments;
    const lists = site.byProject.get(projectId);
    const list = name === 'floorplans' ? lists?.floorplans : lists?.checklists;
    this.list = name === undefined ? site.projects : (list ?? site.projects);
    this.project = lists?.project;
    const row = this.list.rows.find(({ id }) => id === rowId);
    if (row === undefined) throw new RangeError(`${subject} never was`);
    this.row = row;
    this.isNested = nestedName !== undefined;
    this.objects = row.versions.map((version) => nestedIn(version, nestedName, nestedId));
  }

  /** Whether the entity was ever as an event of this sequence shows it. */
  showed(object: JsonObject, sequence: string): boolean {
    return this.objects.some(
      (each) => toFixedWidth(String(each?.['updated_at'])) === sequence && isSame(each, object),
    );
  }

  /** Whether the entity was ever like this, at any time. */
  wasEver(object: JsonObject): boolean {
    return this.objects.some((each) => isSame(each, object));
  }

  /** Whether a list lacked a nested entity after it had shown it, and showed it again. */
  get absence(): { readonly wentAway: boolean; readonly cameBack: boolean } {
    const shown = this.objects.findIndex((each) => each !== undefined);
    const gone = this.objects.findIndex((each, n) => shown >= 0 && n > shown && !each);
    const back = this.objects.findIndex((each, n) => gone >= 0 && n > gone && each);
    return { wentAway: gone >= 0, cameBack: back >= 0 };
  }
}

function nestedIn(version: Version, name: string | undefined, id: string): JsonObject | undefined {
  if (name === undefined) return version.object;
  if (name === 'template_check_items') return itemsShown(version).get(id);
  const sheet = sheetShown(version);
  return sheet?.id === id ? sheet : undefined;
}

const truths = new WeakMap<BuildingSite, Map<string, Truth>>();

/** All shown versions of the entity of a subject, computed once. */
export function truthOf(subject: string, site: BuildingSite): Truth {
  const known = truths.get(site) ?? new Map<string, Truth>();
  truths.set(site, known);
  const truth = known.get(subject) ?? new Truth(subject, site);
  known.set(subject, truth);
  return truth;
}

/** Whether an event is the delete of an entity that the service does not show any more. */
export function isInferredDelete({ event }: Pick<Delivery, 'event'>): boolean {
  return event.type.endsWith('.deleted') && !event.data.object.deleted_at;
}
