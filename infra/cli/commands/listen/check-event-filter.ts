import { ACTIONS, FIELDS } from '../../../config/event-words.ts';
import { findNearest } from '../../../config/find-nearest.ts';
import { UsageError } from '../../cli-error.ts';

/** Which events are listened to. */
export interface EventFilter {
  readonly type?: readonly string[] | undefined;
  readonly project?: string | undefined;
  readonly changed?: readonly string[] | undefined;
}

/** Types of the built-in events. A stack may have additional ones. */
const TYPES = [
  'project',
  'floorplan',
  'sheet',
  'template_checklist',
  'template_check_item',
].flatMap((entity) => ACTIONS.map((action) => `${entity}.${action}`));

/** What events of these types depend on, which is not known here (spec, "Versioning"). */
const CONDITIONS: Readonly<Record<string, string>> = {
  'sheet.':
    'Events of sheets come only if the config has withCurrentSheet, or a serviceVersion before 2021-03-30.',
  'template_check_item.':
    'Events of checklist items come only if the config has a serviceVersion before 2021-04-15.',
};

const PROJECT_ID = /^(-?\d+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/**
 * Checks the flags that select events.
 *
 * @returns warnings of what no event may have, as far as it is known here.
 * @throws UsageError for a type that no event can have.
 */
export function checkEventFilter({ type = [], project, changed = [] }: EventFilter): string[] {
  return [
    ...type.flatMap((each) => typeWarning(each) ?? []),
    ...(project === undefined || PROJECT_ID.test(project)
      ? []
      : [
          `No project has the id ${JSON.stringify(project)}: ids of projects are UUIDs or integers.`,
        ]),
    ...changed.flatMap((each) => fieldWarning(each) ?? []),
    ...(changed.length > 0 && type.length > 0 && type.every((each) => each.endsWith('.created'))
      ? ['No event of something created names changed fields: leave out --changed.']
      : []),
    ...Object.entries(CONDITIONS)
      .filter(([prefix]) => type.length > 0 && type.every((each) => each.startsWith(prefix)))
      .map(([, condition]) => condition),
  ];
}

/** A warning of a type that looks like a built-in one, and is none; undefined for others. */
function typeWarning(type: string): string | undefined {
  if (TYPES.includes(type)) return undefined;
  const ends = ACTIONS.map((action) => `.${action}`);
  const nearest = findNearest(type, TYPES) ?? TYPES.find((each) => each.startsWith(`${type}.`));
  const suggestion = nearest === undefined ? '' : `Did you mean ${nearest}?`;
  if (!ends.some((end) => type.endsWith(end))) {
    throw new UsageError(
      `--type is ${JSON.stringify(type)}; allowed: a type of events, which ends in ${ends.join(', ')}.`,
      suggestion === '' ? undefined : suggestion,
    );
  }
  return suggestion === ''
    ? undefined
    : `No built-in event has the type ${JSON.stringify(type)}. ${suggestion}`;
}

function fieldWarning(field: string): string | undefined {
  if (field === 'updated_at') return 'No event names updated_at as changed: it always is.';
  if (FIELDS.includes(field)) return undefined;
  const nearest = findNearest(field, FIELDS);
  const suggestion = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  return `No field ${JSON.stringify(field)} of the built-in entities is known.${suggestion}`;
}
