import { LOCAL_ACCOUNT, LOCAL_REGION } from '../embedded/endpoints.ts';

export interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly DependsOn?: string | readonly string[];
  /** Name of the condition for its creation. */
  readonly Condition?: string;
}

/** The part of a CloudFormation template that the local stack reads. */
export interface Template {
  readonly Resources: Readonly<Record<string, TemplateResource>>;
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown }>>;
}

/** Values of a created resource for `Ref` and `Fn::GetAtt`. */
export interface CreatedResource {
  readonly ref: string;
  /** Values of `Fn::GetAtt`, by attribute name. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** The template uses a feature that the local stack does not support. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

const PSEUDO_PARAMETERS: Readonly<Record<string, string>> = {
  'AWS::AccountId': LOCAL_ACCOUNT,
  'AWS::Partition': 'aws',
  'AWS::Region': LOCAL_REGION,
  'AWS::StackId': `arn:aws:cloudformation:${LOCAL_REGION}:${LOCAL_ACCOUNT}:stack/local/local`,
  'AWS::URLSuffix': 'amazonaws.com',
};

/** An object with this one key is an intrinsic function. */
const INTRINSIC = /^(Ref|Fn::.*)$/;
/** `${Name}`, `${Name.Attribute}` or `${!Literal}` in the text of an `Fn::Sub`. */
const SUBSTITUTION = /\$\{(!?)([^}]+)\}/g;

/**
 * Replaces the intrinsic functions in a template value by their results.
 *
 * @param path location of the value in the template, for errors.
 * @throws TemplateError naming the location and the function that cannot be resolved.
 */
export function resolveValue(
  value: unknown,
  created: ReadonlyMap<string, CreatedResource>,
  path: string,
): unknown {
  if (Array.isArray(value)) {
    return value.map((item, index) => resolveValue(item, created, `${path}[${index}]`));
  }
  if (typeof value !== 'object' || value === null) return value;

  const entries = Object.entries(value);
  const [only] = entries;
  if (entries.length === 1 && only && INTRINSIC.test(only[0])) {
    return resolveIntrinsic(only[0], only[1], created, path);
  }
  return Object.fromEntries(
    entries.map(([key, item]) => [key, resolveValue(item, created, `${path}.${key}`)]),
  );
}

function resolveIntrinsic(
  name: string,
  argument: unknown,
  created: ReadonlyMap<string, CreatedResource>,
  path: string,
): string | string[] {
  const unresolved = (reason: string): TemplateError =>
    new TemplateError(
      `${path}: cannot resolve {"${name}": ${JSON.stringify(argument)}}: ${reason}`,
    );
  const valueOf = (id: string, attribute: string): string => {
    const resource = created.get(id);
    const value =
      attribute === '' ? (resource?.ref ?? PSEUDO_PARAMETERS[id]) : resource?.attributes[attribute];
    if (value !== undefined) return value;
    throw unresolved(
      resource ? `${id} has no attribute ${attribute}` : `there is no resource ${id}`,
    );
  };
  const named = (text: string): string => {
    const [id = '', ...rest] = text.split('.');
    return valueOf(id, rest.join('.'));
  };
  const resolved = list(resolveValue(argument, created, path));
  switch (name) {
    case 'Ref':
      return valueOf(String(argument), '');
    case 'Fn::GetAtt':
      return named(typeof argument === 'string' ? argument : list(argument).join('.'));
    case 'Fn::Join':
      return list(resolved[1]).map(String).join(String(resolved[0]));
    case 'Fn::Select':
      return String(list(resolved[1])[Number(resolved[0])]);
    case 'Fn::Split':
      return String(resolved[1]).split(String(resolved[0]));
    case 'Fn::Sub': {
      const [text, variables = {}] = typeof argument === 'string' ? [argument] : resolved;
      const given = new Map(Object.entries(variables as object));
      return String(text).replace(SUBSTITUTION, (_, literal: string, variable: string) => {
        if (literal) return `\${${variable}}`;
        return given.has(variable) ? String(given.get(variable)) : named(variable);
      });
    }
    default:
      throw unresolved(
        'the local stack resolves Ref, Fn::GetAtt, Fn::Join, Fn::Select, Fn::Split and Fn::Sub',
      );
  }
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/**
 * Orders the resources so that each follows all resources that it refers to or depends on.
 *
 * @throws TemplateError when resources depend on each other in a cycle.
 */
export function orderByDependency(template: Template): [id: string, resource: TemplateResource][] {
  const ordered = new Map<string, TemplateResource>();
  const open: string[] = [];

  const visit = (id: string): void => {
    const resource = template.Resources[id];
    if (!resource || ordered.has(id)) return;
    if (open.includes(id)) {
      throw new TemplateError(
        `Resources depend on each other in a cycle: ${[...open, id].join(' → ')}`,
      );
    }
    open.push(id);
    for (const name of [...namesIn(resource.Properties), ...list([resource.DependsOn].flat())]) {
      visit(String(name));
    }
    open.pop();
    ordered.set(id, resource);
  };
  Object.keys(template.Resources).forEach(visit);
  return [...ordered];
}

/** Names that the intrinsic functions in the value refer to. */
function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]: [string, unknown]) => {
    if (key === 'Ref') return [String(item)];
    if (key === 'Fn::GetAtt')
      return [String(Array.isArray(item) ? item[0] : item).split('.')[0] ?? ''];
    if (key === 'Fn::Sub') {
      const [text] = [item].flat();
      const names = [...String(text).matchAll(SUBSTITUTION)].map((match) => match[2] ?? '');
      return [...names.map((name) => name.split('.')[0] ?? ''), ...namesIn(item)];
    }
    return namesIn(item);
  });
}
