import { LOCAL_ACCOUNT, LOCAL_REGION } from '../embedded/endpoints.ts';

export interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
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

/** A resource of the template, created on the embedded services. */
export interface ProvisionedResource extends CreatedResource {
  readonly logicalId: string;
  readonly type: string;
}

/** The template uses a feature that the local stack does not support. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

type Created = ReadonlyMap<string, CreatedResource>;

const PSEUDO_PARAMETERS: Readonly<Record<string, string>> = {
  'AWS::AccountId': LOCAL_ACCOUNT,
  'AWS::Partition': 'aws',
  'AWS::Region': LOCAL_REGION,
  'AWS::StackId': `arn:aws:cloudformation:${LOCAL_REGION}:${LOCAL_ACCOUNT}:stack/local/local`,
  'AWS::URLSuffix': 'amazonaws.com',
};

/** Replaces intrinsic functions by their results. @throws TemplateError for an unknown one. */
export function resolveValue(value: unknown, created: Created): unknown {
  if (Array.isArray(value)) return value.map((item) => resolveValue(item, created));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value) as [string, unknown][];
  const [[name, argument] = ['', undefined]] = entries;
  if (entries.length === 1 && (name === 'Ref' || name.startsWith('Fn::'))) {
    const result = resolveIntrinsic(name, argument, created);
    if (result !== undefined) return result;
    throw new TemplateError(`The local stack cannot resolve ${JSON.stringify(value)}`);
  }
  return Object.fromEntries(entries.map(([key, item]) => [key, resolveValue(item, created)]));
}

/** @returns undefined for an unknown function or name. */
function resolveIntrinsic(name: string, argument: unknown, created: Created): unknown {
  const refOf = (id: string): string | undefined => created.get(id)?.ref ?? PSEUDO_PARAMETERS[id];
  if (name === 'Ref') return refOf(String(argument));
  if (name === 'Fn::GetAtt') {
    const [id = '', attribute = ''] = argument as readonly string[];
    return created.get(id)?.attributes[attribute];
  }
  if (name === 'Fn::Sub') {
    return String(argument).replace(/\$\{([^}]+)\}/g, (text, id: string) => refOf(id) ?? text);
  }
  const [first, second] = resolveValue(argument, created) as readonly [string, string];
  if (name === 'Fn::Split') return second.split(first);
  const list = second as unknown as readonly unknown[];
  if (name === 'Fn::Join') return list.map(String).join(first);
  return name === 'Fn::Select' ? list[Number(first)] : undefined;
}

/** The resources of a template, each after those that it refers to. */
export function orderByReference({ Resources }: Template): [string, TemplateResource][] {
  const ordered = new Map<string, TemplateResource>();
  const add = (id: string): void => {
    const resource = Resources[id];
    if (!resource || ordered.has(id)) return;
    const properties = JSON.stringify(resource.Properties ?? {});
    const references = properties.matchAll(/"(?:Ref|Fn::GetAtt)":\[?"([^"]+)"/g);
    for (const [, name = ''] of references) if (name !== id) add(name);
    ordered.set(id, resource);
  };
  for (const id of Object.keys(Resources)) add(id);
  return [...ordered];
}
