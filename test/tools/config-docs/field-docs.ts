import type * as z from 'zod/mini';
import { stageSchema } from '../../../infra/config/config.ts';
import { readPropertyComments } from '../event-docs/doc-comments.ts';

/** One field of the config, in the words of its doc comment and of its error. */
export interface FieldDoc {
  readonly name: string;
  /** Absent: the field is required, or it has no value unless it is set. */
  readonly default?: string;
  readonly isRequired: boolean;
  /** The text after "allowed: " when the field is wrong. */
  readonly allowed: string;
  readonly text: string;
}

/** The fields of one object of the config. */
export interface FieldGroup {
  readonly title: string;
  /** Fields that lead to the object, empty for a stage. */
  readonly path: readonly string[];
  readonly fields: readonly FieldDoc[];
}

/** Where the fields are declared: the title of their group, the file, the variable, the path. */
const SOURCES: readonly (readonly [string, string, string, ...string[]])[] = [
  ['Polling', 'functions/settings/poller-config.ts', 'shape'],
  ['The stack', 'infra/config/stage-fields.ts', 'stageFields'],
  ['The account around it', 'infra/config/surroundings.ts', 'surroundings'],
  ['`headers`', 'functions/settings/request-fields.ts', 'headers', 'headers'],
  ['`reconcile`', 'functions/settings/reconcile-fields.ts', 'reconcileFields', 'reconcile'],
  ['`vpc`', 'infra/config/surroundings.ts', 'vpc', 'vpc'],
  [
    'Each of `additionalResources`',
    'functions/settings/additional-resources.ts',
    'additionalResource',
    'additionalResources',
  ],
  ['Each of `subscribers`', 'infra/config/subscribers.ts', 'subscriberFields', 'subscribers'],
  [
    'A subscriber with `protocol` `webhook`, besides',
    'infra/config/subscribers.ts',
    'webhookFields',
    'subscribers',
  ],
];

const ROOT = new URL('../../../', import.meta.url);
const DEFAULT = / ?Default: (.*?)\.(?= |$)/;

/** All fields, in the order in which they are declared. */
export function readFieldGroups(): FieldGroup[] {
  return SOURCES.map(([title, file, variable, ...path]) => {
    const shape = shapeOf(path.reduce<z.ZodMiniType>(fieldOf, stageSchema));
    const comments = readPropertyComments(new URL(file, ROOT), variable);
    const fields = Object.entries(comments).map(([name, comment]) =>
      describeField(name, comment, fieldOf(shape, name)),
    );
    return { title, path, fields };
  });
}

/** @throws Error when the comment has another default than the schema. */
function describeField(name: string, comment: string, schema: z.ZodMiniType): FieldDoc {
  const { def } = schema._zod as unknown as { readonly def: Definition };
  const written = DEFAULT.exec(comment)?.[1];
  const set = def.type === 'default' ? asText(def.defaultValue) : undefined;
  if (set !== undefined && written !== undefined && written !== set) {
    throw new Error(`The comment of ${name} has the default ${written}, its schema ${set}`);
  }
  const value = set === undefined ? written : `\`${set}\``.replace('`none`', 'none');
  return {
    name,
    ...(value !== undefined && { default: value }),
    isRequired: def.type !== 'default' && def.type !== 'optional',
    allowed: schema.safeParse(Symbol(name)).error?.issues[0]?.message ?? '',
    text: comment.replace(DEFAULT, '').trim(),
  };
}

function asText(value: unknown): string {
  if (typeof value === 'object' && value !== null && Object.keys(value).length === 0) return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The parts of zod's definitions that lead to the fields of objects. */
interface Definition {
  readonly type: string;
  readonly defaultValue?: unknown;
  readonly innerType?: z.ZodMiniType;
  readonly element?: z.ZodMiniType;
  readonly shape?: Readonly<Record<string, z.ZodMiniType>>;
}

/** The object that a schema accepts, or a list of them. */
function shapeOf(schema: z.ZodMiniType): z.ZodMiniType {
  const { def } = schema._zod as unknown as { readonly def: Definition };
  const inner = def.innerType ?? def.element;
  return inner === undefined ? schema : shapeOf(inner);
}

function fieldOf(schema: z.ZodMiniType, name: string): z.ZodMiniType {
  const { def } = shapeOf(schema)._zod as unknown as { readonly def: Definition };
  const field = def.shape?.[name];
  if (field === undefined) throw new Error(`The schema has no field ${name}`);
  return field;
}
