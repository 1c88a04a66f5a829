import { styleText } from 'node:util';
import type { ChangeEvent, ClaimCheckEvent } from '../../../functions/core/contract/events.ts';
import type { Action } from '../../../functions/core/model/change.ts';
import { clip, lengthOf, wrap } from './fit-text.ts';
import { fitChanges, formatChanges, quote } from './format-changes.ts';

/** Colours text for a terminal, or returns it unchanged. */
export type Paint = (style: 'cyan' | 'dim' | 'green' | 'red' | 'yellow', text: string) => string;

/** Colours if the stream is a terminal with colours and `NO_COLOR` is not set. */
export function painterFor(stream: NodeJS.WriteStream): Paint {
  return (style, text) => styleText(style, text, { stream });
}

export interface EventLayout {
  readonly paint: Paint;
  /** Maximum characters of a line. */
  readonly width: number;
  /** Names of the declared subscribers that received the event. */
  readonly receivers?: readonly string[];
}

const COLOURS: Readonly<Record<Action, Parameters<Paint>[0]>> = {
  created: 'green',
  updated: 'yellow',
  deleted: 'red',
  restored: 'cyan',
};
const WIDEST_ACTION = 'restored'.length;
const WIDEST_ENTITY = 'template_check_item'.length;
/** Below this width, columns are not aligned. */
const TIGHT = 70;
/** Characters for name and changes that several receivers have to leave, or they get a line of their own. */
const MIN_ROOM = 40;
const GAP = '  ';

/**
 * Formats an event as a line that fits the width: time, action, entity, name or API path, and
 * changed fields. A claim check shows its storage address instead of the fields. Many receivers follow in the next line.
 */
export function formatEvent(event: ChangeEvent | ClaimCheckEvent, layout: EventLayout): string {
  const { paint, width, receivers = [] } = layout;
  const [entity, action] = event.type.split('.') as [string, Action];
  const isTight = width < TIGHT;
  const gap = isTight ? ' ' : GAP;
  const time = event.time.slice('2026-01-01T'.length, '2026-01-01T00:00:00'.length);
  const verb = action.padEnd(isTight ? 0 : WIDEST_ACTION);
  const noun = entity.padEnd(isTight ? 0 : WIDEST_ENTITY);
  const names = `→ ${receivers.join(', ')}`;
  const room = width - [time, verb, noun, ''].join(gap).length;
  const isApart = receivers.length > 1 && room - gap.length - names.length < MIN_ROOM;
  const beside = isApart ? `\n${wrap(`    ${names}`, width)}` : `${gap}${names}`;
  const end = receivers.length > 0 ? beside : '';
  const left = isApart ? room : room - end.length;
  const [title, details] = fitContent(event, action, Math.max(left, 0), gap);
  return [
    paint('dim', time),
    paint(COLOURS[action], verb),
    noun,
    title,
    ...(details === '' ? [] : [paint('dim', details)]),
  ]
    .join(gap)
    .concat(paint('dim', end));
}

/**
 * Fits title and details. The title gets at least 40 % of the room, which tells most names. A path without
 * room is replaced by the id, which is its end.
 */
function fitContent(
  event: ChangeEvent | ClaimCheckEvent,
  action: Action,
  room: number,
  gap: string,
): [string, string] {
  const [title, changes] = describeContent(event, action);
  const details = changes.join(GAP);
  if (details === '') {
    const isPath = title === event.subject && title.length > room;
    return [clip(isPath ? idOf(event) : title, room), ''];
  }
  const forTitle = Math.max(Math.floor(room * 0.4), room - details.length - gap.length);
  const isPath = title === event.subject && title.length > forTitle;
  const shown = isPath ? clip(idOf(event), room) : clip(title, forTitle);
  return [shown, fitChanges(changes, Math.max(room - lengthOf(shown) - gap.length, 0))];
}

/** The id of an entity. */
function idOf({ subject }: { readonly subject: string }): string {
  return subject.split('/').slice(-1).join();
}

function describeContent(
  event: ChangeEvent | ClaimCheckEvent,
  action: Action,
): [string, readonly string[]] {
  // What a command of an operator tells is marked.
  const cause = event.cause === 'poll' ? [] : [`(${event.cause})`];
  if ('dataref' in event)
    return [event.subject, [...cause, `large, kept in the bucket: ${event.dataref}`]];
  const { data, subject } = event;
  const { name } = data.object;
  const title = typeof name === 'string' ? quote(name) : subject;
  if (action !== 'updated') return [title, cause];
  const changes = formatChanges(data);
  // A nested entity changed, for instance.
  return [title, [...cause, ...(changes.length === 0 ? ['(only updated_at moved)'] : changes)]];
}
