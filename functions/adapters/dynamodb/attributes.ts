import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/** An item as DynamoDB has it. */
export type Item = Record<string, AttributeValue>;

/** An item, or the key of one, in plain values. */
export type Row = Readonly<Record<string, unknown>>;

/** A value that an item may have. */
type Value =
  | string
  | number
  | boolean
  | Uint8Array
  | readonly Value[]
  | { readonly [name: string]: Value };

/** Encodes a row. Leaves out undefined values. */
export function toItem(row: object): Item {
  const item: Item = {};
  for (const [name, value] of Object.entries(row)) {
    if (value !== undefined) item[name] = toAttribute(value as Value);
  }
  return item;
}

function toAttribute(value: Value): AttributeValue {
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number') return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (value instanceof Uint8Array) return { B: value };
  return Array.isArray(value) ? { L: value.map(toAttribute) } : { M: toItem(value) };
}

/** Decodes an item. */
export function fromItem(item: Item): Row {
  const row: Record<string, unknown> = {};
  for (const [name, attribute] of Object.entries(item)) row[name] = fromAttribute(attribute);
  return row;
}

function fromAttribute({ S, N, BOOL, B, L, M }: AttributeValue): unknown {
  if (S !== undefined) return S;
  if (N !== undefined) return Number(N);
  if (M !== undefined) return fromItem(M);
  return L === undefined ? (BOOL ?? B) : L.map(fromAttribute);
}
