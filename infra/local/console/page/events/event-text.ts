import type { ReceivedEvent } from '../../protocol.ts';
import { mostUsefulFirst, showValue } from '../format.ts';
import { site } from '../state/site.ts';

export interface FieldChange {
  readonly field: string;
  readonly old: string;
  readonly current: string;
}

/** `floorplan` and `updated` of `floorplan.updated`. */
export function partsOfType({ event }: ReceivedEvent): { entity: string; action: string } {
  const [entity = '', action = ''] = event.type.split('.');
  return { entity, action };
}

export function nameOf({ event }: ReceivedEvent): string {
  const name = event.data?.object.name;
  return typeof name === 'string' ? name : event.partitionkey;
}

/** The changed fields, the most useful first. */
export function fieldChanges({ event }: ReceivedEvent): FieldChange[] {
  const { changed = [], previous, object } = event.data ?? {};
  return mostUsefulFirst(changed).map((field) => ({
    field,
    old: previous ? showValue(previous[field]) : 'unknown',
    current: showValue(object?.[field]),
  }));
}

/** One line about an event. */
export function summaryOf(received: ReceivedEvent): string {
  const [first, ...others] = fieldChanges(received);
  if (received.event.dataref !== undefined) return 'too large for a message: its content is in S3';
  if (!first) {
    const { entity, action } = partsOfType(received);
    if (action === 'updated') return 'only nested entities or its time changed';
    const project = site.value.projects.find(({ id }) => id === received.event.projectid);
    return project && entity !== 'project' ? `new in ${project.name}` : 'new';
  }
  const more = others.length === 0 ? '' : `  +${others.length} more`;
  return `${first.field}: ${first.old} → ${first.current}${more}`;
}
