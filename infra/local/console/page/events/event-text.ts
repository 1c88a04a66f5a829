import { clip, showValue } from '../format.ts';
import type { ShownEvent } from '../state/events.ts';
import { projects } from '../state/state.ts';

/** Fields that change with every edit and tell little. */
const BOOKKEEPING = /_(at|id)$/;

export interface FieldChange {
  readonly field: string;
  readonly old: string;
  readonly current: string;
}

/** `floorplan` and `updated` of `floorplan.updated`. */
export function partsOfType({ event }: ShownEvent): { entity: string; action: string } {
  const [entity = '', action = ''] = event.type.split('.');
  return { entity, action };
}

export function nameOf({ event }: ShownEvent): string {
  const name = event.data?.object.name;
  return typeof name === 'string' ? name : event.partitionkey;
}

/** The changed fields, the most telling first. */
export function fieldChanges({ event }: ShownEvent): FieldChange[] {
  const { changed = [], previous, object } = event.data ?? {};
  const ordered = changed.toSorted(
    (a, b) => Number(BOOKKEEPING.test(a)) - Number(BOOKKEEPING.test(b)),
  );
  return ordered.map((field) => ({
    field,
    old: previous ? showValue(previous[field]) : 'unknown',
    current: showValue(object?.[field]),
  }));
}

/** One line about what happened. */
export function summaryOf(shown: ShownEvent): string {
  const [first, ...others] = fieldChanges(shown);
  if (shown.event.dataref !== undefined) return 'too large for a message: its content is in S3';
  if (!first) {
    const { action } = partsOfType(shown);
    return action === 'updated' ? 'only nested entities or its time changed' : placeOf(shown);
  }
  const more = others.length === 0 ? '' : `  +${others.length} more`;
  return `${first.field}: ${first.old} → ${first.current}${more}`;
}

/** Where a new entity appeared. */
function placeOf({ event }: ShownEvent): string {
  if (event.subject === `/projects/${event.partitionkey}`)
    return 'its lists are polled from now on';
  const project = projects.value.find(({ id }) => id === event.projectid);
  return project ? `new in ${clip(project.name, 100)}` : 'new';
}
