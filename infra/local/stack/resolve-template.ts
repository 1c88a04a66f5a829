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
  const reference = (id: string): string => {
    const value = created.get(id)?.ref ?? PSEUDO_PARAMETERS[id];
    if (value === undefined) throw unresolved(`there is no resource ${id}`);
    return value;
  };
  const attribute = (id: string, attributeName: string): string => {
    const resource = created.get(id);
    if (!resource) throw unresolved(`there is no resource ${id}`);
    const value = resource.attributes[attributeName];
    if (value !== undefined) return value;
    const available = Object.keys(resource.attributes).join(', ') || 'none';
    throw unresolved(`${id} has no attribute ${attributeName}; it has ${available}`);
  };

  switch (name) {
    case 'Ref':
      if (typeof argument !== 'string') throw unresolved('it must name a resource');
      return reference(argument);
    case 'Fn::GetAtt': {
      const [id, ...rest] = typeof argument === 'string' ? argument.split('.') : list(argument);
      if (typeof id !== 'string') throw unresolved('it must be [resource, attribute]');
      return attribute(id, rest.join('.'));
    }
    case 'Fn::Join': {
      const [delimiter, parts] = list(argument);
      if (typeof delimiter !== 'string') throw unresolved('it must be [delimiter, list]');
      return list(resolveValue(parts, created, path))
        .map(String)
        .join(delimiter);
    }
    case 'Fn::Select': {
      const [index, items] = list(argument);
      const item = list(resolveValue(items, created, path))[Number(index)];
      if (typeof item !== 'string') throw unresolved('it must be [index, list of strings]');
      return item;
    }
    case 'Fn::Split': {
      const [delimiter, text] = list(argument);
      if (typeof delimiter !== 'string') throw unresolved('it must be [delimiter, text]');
      return String(resolveValue(text, created, path)).split(delimiter);
    }
    case 'Fn::Sub': {
      const [text, variables = {}] = typeof argument === 'string' ? [argument] : list(argument);
      if (typeof text !== 'string') throw unresolved('it must be a string, or [string, variables]');
      const given = new Map(Object.entries(resolveValue(variables, created, path) as object));
      return text.replace(SUBSTITUTION, (_, literal: string, variable: string) => {
        if (literal) return `\${${variable}}`;
        if (given.has(variable)) return String(given.get(variable));
        const [id = '', ...rest] = variable.split('.');
        return rest.length === 0 ? reference(id) : attribute(id, rest.join('.'));
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
