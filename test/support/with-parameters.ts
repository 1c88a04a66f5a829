import type { Template } from '../../infra/local/stack/resolve-template.ts';

type Values = Readonly<Record<string, string | number>>;

/** A template with the values of its parameters, by name, in their places: as if it had none. */
export function withParameters(template: object, values: Values): Template {
  return replace(template, values) as Template;
}

function replace(part: unknown, values: Values): unknown {
  if (Array.isArray(part)) return part.map((item) => replace(item, values));
  if (typeof part !== 'object' || part === null) return part;
  const replaced = Object.fromEntries(
    Object.entries(part).map(([key, item]) => [key, replace(item, values)]),
  );
  const { Ref, 'Fn::Sub': sub, 'Fn::Join': join } = replaced;
  if (typeof Ref === 'string' && Ref in values) return String(values[Ref]);
  if (typeof sub === 'string') return substitute(sub, values);
  return Array.isArray(join) ? joinTexts(join as [string, unknown[]]) : replaced;
}

function substitute(text: string, values: Values): unknown {
  const substituted = text.replaceAll(/\$\{([^}]+)\}/g, (place, name: string) =>
    String(values[name] ?? place),
  );
  return substituted.includes('${') ? { 'Fn::Sub': substituted } : substituted;
}

function joinTexts([separator, parts]: [string, unknown[]]): unknown {
  const isText = parts.every((part) => typeof part === 'string');
  return isText ? parts.join(separator) : { 'Fn::Join': [separator, parts] };
}
