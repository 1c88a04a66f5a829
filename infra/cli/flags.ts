import type { ChangeRequest } from '../../functions/control/protocol.ts';
import { UsageError } from './cli-error.ts';

/** The lists that a command concerns. */
export type Scope = ChangeRequest['scope'];

/** A flag without a value. */
export const flag = (brief: string) =>
  ({ kind: 'boolean', brief, optional: true, withNegated: false }) as const;

/** A flag with a text. */
export const text = (placeholder: string, brief: string) =>
  ({ kind: 'parsed', parse: readText, placeholder, brief, optional: true }) as const;

/** Which stack is meant. */
export interface StackFlags {
  readonly stage?: string | undefined;
  readonly stack?: string | undefined;
  readonly local?: boolean | undefined;
  readonly region?: string | undefined;
  readonly profile?: string | undefined;
}

export const STACK_FLAGS = {
  stage: text('name', 'Stage of cdk.json: its stack is Sitecast-<name>'),
  stack: text('name', 'Name of the stack in CloudFormation'),
  local: flag('The local stack that npm start runs in another terminal'),
  region: text('region', 'AWS region of the stack, if it is not the default'),
  profile: text('name', 'AWS profile with the credentials'),
} as const;

/** For the usage of a command. */
export const STACK_USAGE = '(--stage <name> | --stack <name> | --local)';
export const SCOPE_USAGE = '(--list <list> | --project <id> | --resource <name> | --all)';

/** Which lists are meant. */
export interface ScopeFlags {
  readonly list?: string | undefined;
  readonly project?: string | undefined;
  readonly resource?: string | undefined;
  readonly all?: boolean | undefined;
}

export const SCOPE_FLAGS = {
  list: text('list', 'One list, by its path: projects/<project_id>/floorplans'),
  project: text('id', 'The lists of one project'),
  resource: text('name', 'The lists of one resource: floorplans'),
} as const;

export const ALL_FLAG = flag('All lists');
export const DRY_RUN_FLAG = flag('Change nothing; tell what it would concern');
export const WAIT_FLAG = {
  kind: 'boolean',
  brief: 'Wait until it is done',
  default: true,
} as const;
export const JSON_FLAG = flag('One JSON document on standard output, and nothing else there');

/**
 * The scope that the flags name.
 *
 * @throws UsageError if they name none, or two that contradict.
 */
export function readScope(flags: ScopeFlags): Scope {
  const scope = readOptionalScope(flags);
  if (flags.all !== true && Object.keys(scope).length === 0) {
    throw new UsageError(
      'The command needs to know which lists: no scope was given.',
      'Add --list, --project, --resource or --all.',
    );
  }
  return scope;
}

/** The scope that the flags name; empty if they name none. */
export function readOptionalScope({ list, project, resource, all }: ScopeFlags): Scope {
  const named = Object.entries({ list, project, resource }).filter(([, it]) => it !== undefined);
  const [[first] = []] = named;
  if (all === true && first !== undefined) {
    throw new UsageError(`--all contradicts --${first}.`, 'Keep one of them.');
  }
  if (list !== undefined && named.length > 1) {
    const [, [other] = []] = named;
    throw new UsageError(`--list contradicts --${other}: it names one list.`, 'Keep one of them.');
  }
  return {
    // Subjects of events begin with a slash, ids of lists do not.
    ...(list !== undefined && { list: list.replace(/^\//, '') }),
    ...(project !== undefined && { projectId: project }),
    ...(resource !== undefined && { resource }),
  };
}

/** A scope in words. */
export function describeScope({ list, projectId, resource }: Scope): string {
  if (list !== undefined) return list;
  const parts = [
    ...(resource === undefined ? [] : [`resource ${resource}`]),
    ...(projectId === undefined ? [] : [`project ${projectId}`]),
  ];
  return parts.length > 0 ? parts.join(' of ') : 'all lists';
}

const AGE = /^(\d{1,5}) ?(s|min|m|h|d)$/;
const UNIT_MS = { s: 1000, min: 60_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const TIME = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/;
const ALLOWED_TIMES =
  'allowed: a time in the past such as 2026-11-22T09:00:00Z, a day such as 2026-11-22 (its start in UTC), or an age such as 90min, 2h or 3d';
const WITHOUT_ZONE = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?$/;

/**
 * Reads a time in the past, or an age.
 *
 * @returns ISO 8601 in UTC, with milliseconds.
 * @throws Error saying what is allowed.
 */
export function readPastTime(input: string, nowMs: number = Date.now()): string {
  if (WITHOUT_ZONE.test(input)) {
    const time = input.replace(' ', 'T');
    throw new Error(`its zone is missing: write ${time}Z for UTC, or ${time}+01:00`);
  }
  const [, count, unit] = AGE.exec(input) ?? [];
  const time =
    count === undefined
      ? parseTime(input)
      : nowMs - Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  if (time === undefined || time > nowMs) throw new Error(ALLOWED_TIMES);
  return new Date(time).toISOString();
}

function parseTime(input: string): number | undefined {
  const [, day] = TIME.exec(input) ?? [];
  if (day === undefined) return undefined;
  // Date reads 30 February as 2 March.
  const start = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(start.getTime()) || !start.toISOString().startsWith(day)) return undefined;
  const time = Date.parse(input);
  return Number.isNaN(time) ? undefined : time;
}

/** Reads a whole number. @throws Error saying what is allowed. */
export function readCount(input: string): number {
  if (/^\d{1,9}$/.test(input)) return Number(input);
  throw new Error('allowed: a whole number, 0 for all');
}

function readText(input: string): string {
  if (input.trim() !== '') return input;
  throw new Error('allowed: a text');
}
