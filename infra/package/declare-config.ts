/** The part of JSON Schema that the config uses. */
interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
}

/** Writes the declarations of notifier-config.ts, with a comment on each field. */
export function declareConfig(stage: object, excluded: readonly string[]): string {
  const { properties = {}, ...others } = stage as Schema;
  const fields = Object.entries(properties).filter(([name]) => !excluded.includes(name));
  const config: Schema = { ...others, properties: Object.fromEntries(fields) };
  return `/** The config of a notifier, as it would be written for a stage in cdk.json. */
export interface NotifierConfig ${typeOf(config)}
/** A subscriber of the config. */
export type SubscriberConfig = NonNullable<NotifierConfig['subscribers']>[number];
`;
}

function typeOf(schema: Schema): string {
  const { type, items, properties, additionalProperties, required = [] } = schema;
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (items) return `readonly (${typeOf(items)})[]`;
  if (properties) {
    const fields = Object.entries(properties).map(([name, field]) =>
      fieldOf(name, field, required.includes(name)),
    );
    return `{\n${fields.join('')}}`;
  }
  if (type === 'object') {
    const isKnown = typeof additionalProperties === 'object' && additionalProperties.type;
    return `{ readonly [name: string]: ${isKnown ? typeOf(additionalProperties) : 'unknown'} }`;
  }
  return type === 'integer' ? 'number' : String(type);
}

function fieldOf(name: string, field: Schema, isRequired: boolean): string {
  const standard = field.default === undefined ? '' : ` Default: ${JSON.stringify(field.default)}.`;
  const comment = `${field.description}${standard}`.replaceAll('*/', '*\\/');
  const end = isRequired ? `: ${typeOf(field)}` : `?: ${typeOf(field)} | undefined`;
  return `  /** ${comment} */\n  readonly ${name}${end};\n`;
}
