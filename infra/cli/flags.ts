import type { Scope } from '../../functions/control/protocol.ts';
import { UsageError } from './cli-error.ts';

/** A flag without a value. */
export const flag = (brief: string) =>
  ({ kind: 'boolean', brief, optional: true, withNegated: false }) as const;

export const text = (placeholder: string, brief: string) =>
  ({ kind: 'parsed', parse: readText, placeholder, brief, optional: true }) as const;

export const pastTime = (brief: string) =>
  ({ kind: 'parsed', parse: readPastTime, placeholder: 'time', brief }) as const;

export const wholeNumber = (min: number, max: number, brief: string) => {
  const parse = (input: string) => readWholeNumber(input, min, max);
  return { kind: 'parsed', parse, placeholder: 'n', brief } as const;
};

export interface StackFlags {
  readonly stage?: string | undefined;
  readonly stack?: string | undefined;
  readonly local?: boolean | undefined;
  readonly region?: string | undefined;
  readonly profile?: string | undefined;
}

export const STACK_FLAGS = {
  stage: text('name', 'Stage, whose stack is Sitecast-<name>'),
  stack: text('name', 'Name of the stack in CloudFormation'),
  local: flag('The local stack that sitecast dev runs in another terminal'),
  region: text('region', 'AWS region of the stack, if it is not the default'),
  profile: text('name', 'AWS profile with the credentials'),
} as const;

/** A command with the flags of the stack that the caller named, to be pasted. */
export function commandLine(words: string, flags: StackFlags): string {
  const named = (Object.keys(STACK_FLAGS) as (keyof StackFlags)[]).flatMap((name) => {
    const value = flags[name];
    return value === undefined ? [] : [`--${name}`, ...(value === true ? [] : [value])];
  });
  return ['sitecast', words, ...named].join(' ');
}

export const STACK_USAGE = '(--stage <name> | --stack <name> | --local)';
export const SCOPE_USAGE = '(--list <list> | --project <id> | --resource <name> | --all)';

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
export const DRY_RUN_FLAG = flag('Change nothing; print the lists concerned');
export const JSON_FLAG = flag('One JSON document on standard output, and nothing else there');

/** The scope that the flags name. @throws UsageError if they name none, or contradict. */
export function readScope(flags: ScopeFlags): Scope {
  const scope = readOptionalScope(flags);
  if (flags.all === true || Object.keys(scope).length > 0) return scope;
  throw new UsageError(
    'The command needs to know which lists: no scope was given.',
    'Add --list, --project, --resource or --all.',
  );
}

/** The scope that the flags name; empty if they name none. */
export function readOptionalScope({ list, project, resource, all }: ScopeFlags): Scope {
  const named = Object.entries({ list, project, resource }).filter(([, it]) => it !== undefined);
  const isContradiction = all === true ? named.length > 0 : list !== undefined && named.length > 1;
  if (isContradiction) {
    const flags = [...(all === true ? ['all'] : []), ...named.map(([name]) => name)];
    const [first = '', second = ''] = flags;
    throw new UsageError(`--${first} contradicts --${second}.`, 'Keep one of them.');
  }
  return {
    // Subjects of events begin with a slash, ids of lists do not.
    ...(list !== undefined && { list: list.replace(/^\//, '') }),
    ...(project !== undefined && { projectId: project }),
    ...(resource !== undefined && { resource }),
  };
}

const AGE = /^(\d{1,5}) ?(s|min|m|h|d)$/;
const UNIT_MS = { s: 1000, min: 60_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const TIME = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/;
const ALLOWED_TIMES =
  'allowed: a time in the past with its zone such as 2026-11-22T09:00:00Z, ' +
  'a day such as 2026-11-22 (its start in UTC), or an age such as 90min, 2h or 3d';

/**
 * Reads a time in the past, or an age.
 *
 * @returns ISO 8601 in UTC, with milliseconds.
 * @throws Error naming the allowed times.
 */
export function readPastTime(input: string): string {
  const now = Date.now();
  const [, count, unit] = AGE.exec(input) ?? [];
  const time =
    count === undefined
      ? parseTime(input)
      : now - Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  if (time === undefined || Number.isNaN(time)) throw new Error(ALLOWED_TIMES);
  if (time > now) throw new Error(`${ALLOWED_TIMES}; it is in the future`);
  return new Date(time).toISOString();
}

function parseTime(input: string): number | undefined {
  const [, day] = TIME.exec(input) ?? [];
  if (day === undefined) return undefined;
  // Date reads 30 February as 2 March.
  const start = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(start.getTime()) || !start.toISOString().startsWith(day)) return undefined;
  return Date.parse(input);
}

/** The value of a name. @throws UsageError with the names that there are if there is none. */
export function pick<T>(kind: string, values: Readonly<Record<string, T>>, name: string): T {
  const names = Object.keys(values);
  const value = names.includes(name) ? values[name] : undefined;
  if (value !== undefined) return value;
  throw new UsageError(
    `There is no ${kind} ${JSON.stringify(name)}.`,
    `There are: ${names.join(', ') || 'none'}.`,
  );
}

function readWholeNumber(input: string, min: number, max: number): number {
  const value = Number(input);
  if (/^\d+$/.test(input) && value >= min && value <= max) return value;
  throw new Error(`allowed: a whole number from ${min} to ${max}`);
}

function readText(input: string): string {
  if (input.trim() !== '') return input;
  throw new Error('allowed: a text');
}
