import type { MessageAttributeValue } from 'fauxqs';
import { matchesFilter } from './match-filter.ts';

type Attributes = Readonly<Record<string, MessageAttributeValue>>;

/** Whether the embedded topic delivers a message to a subscription with a filter policy. */
export function filterMessage(
  policy: Readonly<Record<string, unknown>>,
  scope: string,
  body: string,
  attributes: Attributes,
): boolean {
  try {
    const message: unknown = scope === 'MessageBody' ? JSON.parse(body) : valuesOf(attributes);
    return matchesFilter(policy, message);
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** @returns undefined without attributes: even `exists: false` requires one. */
function valuesOf(attributes: Attributes): Record<string, unknown> | undefined {
  const values = Object.entries(attributes).map(([name, { DataType, StringValue = '' }]) => {
    if (DataType === 'String') return [name, StringValue];
    // SNS compares no other types.
    const isCompared = DataType === 'String.Array' || DataType === 'Number';
    return [name, isCompared ? (JSON.parse(StringValue) as unknown) : undefined];
  });
  return values.length > 0 ? (Object.fromEntries(values) as Record<string, unknown>) : undefined;
}
