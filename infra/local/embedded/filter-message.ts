import type { MessageAttributeValue } from 'fauxqs';

type Policy = Readonly<Record<string, unknown>>;
type Attributes = Readonly<Record<string, MessageAttributeValue>>;

/** Whether the embedded topic delivers a message to a subscription with a filter policy. */
export function filterMessage(
  policy: Policy,
  scope: string,
  body: string,
  attributes: Attributes,
): boolean {
  try {
    const message: unknown = scope === 'MessageBody' ? JSON.parse(body) : valuesOf(attributes);
    return isObject(message) && matchesPolicy(policy, message);
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** @returns undefined without attributes: even `exists: false` requires one. */
function valuesOf(attributes: Attributes): Policy | undefined {
  const values = Object.entries(attributes).map(([name, { DataType, StringValue = '' }]) => {
    if (DataType === 'String') return [name, StringValue] as const;
    // SNS compares no other types.
    const isCompared = DataType === 'String.Array' || DataType === 'Number';
    return [name, isCompared ? (JSON.parse(StringValue) as unknown) : undefined] as const;
  });
  return values.length > 0 ? Object.fromEntries(values) : undefined;
}

/**
 * Whether a message meets a valid policy, as SNS decides it.
 *
 * - An array matches when one of its elements does. Conditions on the fields of objects in an array
 *   must be met by the same object.
 * - The types must be the same: `"90"` is not `90`, and null is a value.
 * - A condition in `$or` replaces one on the same key before it.
 */
function matchesPolicy({ $or, ...conditions }: Policy, message: unknown): boolean {
  if (Array.isArray($or)) {
    return $or.some((each: Policy) => matchesPolicy(merge(conditions, each), message));
  }
  return Object.entries(conditions).every(([key, condition]) => {
    const found = [isObject(message) ? message[key] : undefined].flat(Infinity);
    const values = found.length > 0 ? found : [undefined];
    return values.some((value) =>
      Array.isArray(condition)
        ? // An object is no value.
          condition.some((item) => matches(item, isObject(value) ? undefined : value))
        : matchesPolicy(condition as Policy, value),
    );
  });
}

function merge(policy: Policy, other: Policy): Policy {
  const merged = Object.entries(other).map(([key, condition]) => {
    const before = policy[key];
    const isNested = isObject(before) && isObject(condition);
    return [key, isNested ? merge(before, condition) : condition] as const;
  });
  return { ...policy, ...Object.fromEntries(merged) };
}

function isObject(value: unknown): value is Policy {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value or condition of a policy matches a value, or its absence (undefined). */
function matches(item: unknown, value: unknown): boolean {
  if (!isObject(item)) return item === value;
  const [[operator, operand] = []] = Object.entries(item);
  if (operator === 'exists') return operand === (value !== undefined);
  if (value === undefined) return false;
  if (operator === 'anything-but') return ![operand].flat().some((each) => matches(each, value));
  if (operator === 'numeric') {
    return typeof value === 'number' && isWithin(operand as unknown[], value);
  }
  if (typeof value !== 'string') return false;
  const text = String(operand);
  if (operator === 'prefix') return value.startsWith(text);
  if (operator === 'suffix') return value.endsWith(text);
  if (operator === 'equals-ignore-case') return value.toLowerCase() === text.toLowerCase();
  return operator === 'wildcard' && wildcardPattern(text).test(value);
}

/** @param comparison operators and bounds, such as `['>=', 0, '<', 90]`. */
function isWithin([operator, bound, ...others]: readonly unknown[], value: number): boolean {
  const difference = value - Number(bound);
  const isMet =
    (difference === 0 && String(operator).includes('=')) ||
    (difference < 0 && String(operator).startsWith('<')) ||
    (difference > 0 && String(operator).startsWith('>'));
  return isMet && (others.length === 0 || isWithin(others, value));
}

/** A star stands for any characters, unless a backslash is before it. */
function wildcardPattern(wildcard: string): RegExp {
  const source = wildcard.replaceAll(/\\(.)|[^\w]/gs, (part: string, escaped?: string) =>
    part === '*' ? '.*' : (escaped ?? part).replace(/\W/, '\\$&'),
  );
  return new RegExp(`^${source}$`, 's');
}
