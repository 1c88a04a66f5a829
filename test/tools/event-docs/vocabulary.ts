import type { Action, EntityName, EventType } from '../../../functions/core/contract/index.ts';
import { events } from '../../../functions/core/contract/schemas.ts';

/** An event type and what it is made of. */
interface TypeWords {
  readonly type: EventType;
  readonly entity: EntityName;
  /** When it is raised, as a sentence. */
  readonly raised: string;
}

/** When an event is raised, by its action. */
export const RAISED: Readonly<Record<Action, string>> = {
  created: 'It is seen for the first time and is not deleted.',
  updated: 'It has a later `updated_at`, and was neither deleted nor restored.',
  deleted: 'It got a `deleted_at`, left its checklist, or a reconcile proved its removal.',
  restored: 'It lost its `deleted_at`, or came back to its checklist or list.',
};

/** `TemplateChecklist` for `template_checklist`: the name of an entity's interface and schema. */
export function pascalCase(name: string): string {
  return name.replace(/(^|_)([a-z])/g, (_, __, letter: string) => letter.toUpperCase());
}

/** All event types, those of an entity together. */
export function typeWords(): TypeWords[] {
  return [...events.keys()].map((type) => {
    const [entity, action] = type.split('.') as [EntityName, Action];
    return { type, entity, raised: `\`${entity}\`: ${RAISED[action]}` };
  });
}

/** The message attributes that repeat parts of the event for filter policies. */
export const MESSAGE_ATTRIBUTES = [
  { name: 'type', description: 'The `type` of the event: `floorplan.updated`.' },
  { name: 'entity', description: 'The kind of entity: `floorplan`.' },
  { name: 'action', description: '`created`, `updated`, `deleted` or `restored`.' },
  { name: 'project_id', description: 'The `projectid` of the event, if known.', isOptional: true },
  { name: 'account_id', description: 'The `accountid` of the event, if known.', isOptional: true },
  { name: 'cause', description: 'The `cause` of the event: `poll`, `replay` or `reconcile`.' },
  {
    name: 'changed',
    description:
      'The names of `data.changed`, if any, as `String.Array`. If not all fit, the first ones ' +
      'and `*`: a filter with `*` misses nothing.',
    isOptional: true,
    contentMediaType: 'application/json',
  },
] as const;

/** The headers that each request to a webhook has. */
export const WEBHOOK_HEADERS = [
  { name: 'webhook-id', description: 'The `id` of the event: the same with each attempt.' },
  {
    name: 'webhook-timestamp',
    description: 'When this attempt was made: seconds since 1970. Refuse one that is minutes old.',
    pattern: '^\\d+$',
  },
  {
    name: 'webhook-signature',
    description:
      '`v1,` and the base64 of the HMAC-SHA256 of id, timestamp and body, joined by dots; two of ' +
      'them while a secret rotates. One that fits is enough.',
    pattern: '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)*$',
  },
  { name: 'user-agent', description: '`Sitecast/` and its version.', pattern: '^Sitecast/' },
] as const;
