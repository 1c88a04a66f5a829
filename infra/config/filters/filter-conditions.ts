import { isIPv4, isIPv6 } from 'node:net';

/** A condition that SNS refuses, or that no message can meet. */
export interface ConditionProblem {
  /** The operator, or empty for the whole condition. */
  readonly path: readonly string[];
  readonly allowed: string;
}

interface Operator {
  readonly takes: (operand: unknown) => boolean;
  readonly allowed: string;
}

/** SNS accepts numbers from minus this to this. */
const MAX_NUMBER = 1_000_000_000;
const MAX_WILDCARDS = 3;

const text: Operator = { takes: isText, allowed: 'a text that is not empty' };
const wildcard: Operator = {
  takes: isPattern,
  allowed: `a text with at most ${MAX_WILDCARDS} *, no two in a row`,
};

/** Operators that `anything-but` can negate. SNS refuses `suffix` there. */
const NEGATED: Readonly<Record<string, Operator>> = { prefix: text, wildcard };
const NEGATED_ALLOWED = `an object with one of ${Object.keys(NEGATED).join(', ')}`;

/** Operators on attributes. All attributes are texts, so no comparison of numbers would match. */
const OPERATORS_ON_TEXTS: Readonly<Record<string, Operator>> = {
  prefix: text,
  suffix: text,
  wildcard,
  'equals-ignore-case': text,
  exists: { takes: (operand) => typeof operand === 'boolean', allowed: 'true or false' },
  cidr: { takes: isIpRange, allowed: 'an IP range such as 10.0.0.0/24' },
  'anything-but': {
    takes: (operand) => isTexts(operand) || isValid(NEGATED, operand),
    allowed: `a text or a list of texts, since all attributes are texts, or ${NEGATED_ALLOWED}`,
  },
};

const OPERATORS: Readonly<Record<string, Operator>> = {
  ...OPERATORS_ON_TEXTS,
  'anything-but': {
    takes: (operand) => isTexts(operand) || areAll(operand, isNumber) || isValid(NEGATED, operand),
    allowed: `a text, a number, a list of either, or ${NEGATED_ALLOWED}`,
  },
  numeric: { takes: isComparison, allowed: 'a comparison such as ["=", 90] or [">=", 0, "<", 90]' },
};

export function isOperator(name: string): boolean {
  return Object.hasOwn(OPERATORS, name);
}

/** Checks one item of a list of values and conditions. */
export function conditionProblem(
  item: unknown,
  scope: 'MessageAttributes' | 'MessageBody',
): ConditionProblem | undefined {
  const onTexts = scope === 'MessageAttributes';
  const operators = onTexts ? OPERATORS_ON_TEXTS : OPERATORS;
  if (typeof item === 'string') return undefined;
  if (!onTexts && (typeof item === 'boolean' || item === null || isNumber(item))) return undefined;
  const [name, operand] = onlyEntryOf(item);
  const operator = Object.hasOwn(operators, name) ? operators[name] : undefined;
  if (operator) {
    return operator.takes(operand) ? undefined : { path: [name], allowed: operator.allowed };
  }
  const values = onTexts
    ? 'a text, in quotes, since all attributes are texts,'
    : `a text, a number from -${MAX_NUMBER} to ${MAX_NUMBER}, true, false, null`;
  const allowed = `${values} or an object with one of ${Object.keys(operators).join(', ')}`;
  return { path: [], allowed };
}

/** Whether an object has one of the operators, with a valid operand. */
function isValid(operators: Readonly<Record<string, Operator>>, condition: unknown): boolean {
  const [name, operand] = onlyEntryOf(condition);
  return Object.hasOwn(operators, name) && operators[name]?.takes(operand) === true;
}

/** Name and value of an object's only field; an empty name for any other value. */
function onlyEntryOf(value: unknown): [name: string, value: unknown] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return ['', undefined];
  const [first, ...others] = Object.entries(value);
  return first && others.length === 0 ? first : ['', undefined];
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isTexts(value: unknown): boolean {
  return areAll(value, (item) => typeof item === 'string');
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= MAX_NUMBER;
}

/** Whether a value, or every value of a list that is not empty, is of a kind. */
function areAll(value: unknown, isOfKind: (item: unknown) => boolean): boolean {
  const items: unknown[] = Array.isArray(value) ? value : [value];
  return items.length > 0 && items.every(isOfKind);
}

function isPattern(value: unknown): boolean {
  if (!isText(value)) return false;
  const stars = value.replaceAll(/\\./gs, '-').match(/\*+/g) ?? [];
  return stars.length <= MAX_WILDCARDS && stars.every((run) => run === '*');
}

function isIpRange(value: unknown): boolean {
  if (typeof value !== 'string' || !/^[^/]+\/\d{1,3}$/.test(value)) return false;
  const [address = '', bits] = value.split('/');
  return Number(bits) <= 32
    ? isIPv4(address) || isIPv6(address)
    : isIPv6(address) && Number(bits) <= 128;
}

/** `[operator, number]`, or a range from a lower bound to an upper one. */
function isComparison(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  const [operator, bound, upperOperator, upperBound] = value as unknown[];
  if (!isNumber(bound)) return false;
  if (value.length === 2) return ['=', '<', '<=', '>', '>='].includes(String(operator));
  const isRange = /^>=?$/.test(String(operator)) && /^<=?$/.test(String(upperOperator));
  return value.length === 4 && isRange && isNumber(upperBound) && bound < upperBound;
}
