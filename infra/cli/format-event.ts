import type {
  ChangeData,
  ChangeEvent,
  ClaimCheckEvent,
} from '../../functions/core/contract/events.ts';
import type { Action } from '../../functions/core/model/change.ts';
import { clip, mostUsefulFirst } from './format.ts';
import type { Paint } from './terminal.ts';

export interface EventLayout {
  readonly paint: Paint;
  /** Default: that of pipes and files. */
  readonly width?: number | undefined;
}

const COLOURS: Readonly<Record<Action, Parameters<Paint>[0]>> = {
  created: 'green',
  updated: 'yellow',
  deleted: 'red',
  restored: 'cyan',
};
const ACTION_WIDTH = 'restored'.length;
const ENTITY_WIDTH = 'template_check_item'.length;
const VALUE_WIDTH = 28;

/**
 * Formats an event as a line that fits the width: time, with its day unless that is today, action,
 * entity, name or API path, changed fields with their old and new values.
 */
export function formatEvent(event: ChangeEvent | ClaimCheckEvent, layout: EventLayout): string {
  const { paint, width = 120 } = layout;
  const [entity, action] = event.type.split('.') as [string, Action];
  const [day = '', clock = ''] = event.time.split('T');
  const isToday = day === new Date().toISOString().slice(0, day.length);
  const time = `${isToday ? '' : `${day} `}${clock.slice(0, '00:00:00'.length)}`;
  const verb = action.padEnd(ACTION_WIDTH);
  const noun = entity.padEnd(ENTITY_WIDTH);
  const room = width - [time, verb, noun].join('  ').length - 2;
  const content = clip(describeContent(event, action).join('  '), room);
  return [paint('dim', time), paint(COLOURS[action], verb), noun, content].join('  ');
}

/** The name or path of the entity, then its changed fields, the most useful first. */
function describeContent(event: ChangeEvent | ClaimCheckEvent, action: Action): string[] {
  // Events that a command of an operator has caused are marked.
  const cause = event.cause === 'poll' ? [] : [`(${event.cause})`];
  if ('dataref' in event) {
    return [event.subject, ...cause, `large, kept in the bucket: ${event.dataref}`];
  }
  const { data, subject } = event;
  const { name } = data.object;
  const title = typeof name === 'string' ? JSON.stringify(name) : subject;
  return [title, ...cause, ...(action === 'updated' ? formatChanges(data) : [])];
}

/** Formats changed fields as texts like `rotation: 90 → 180`. */
export function formatChanges({ changed, object, previous }: ChangeData): string[] {
  // A nested entity changed, for instance.
  if (changed.length === 0) return ['(only updated_at moved)'];
  return mostUsefulFirst(changed).map((field) =>
    previous === undefined
      ? field
      : `${field}: ${formatValue(previous[field])} → ${formatValue(object[field])}`,
  );
}

/** As JSON, which escapes control characters and line breaks. */
function formatValue(value: unknown): string {
  return value === undefined ? 'nothing' : clip(JSON.stringify(value), VALUE_WIDTH);
}
