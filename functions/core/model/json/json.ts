/** TypeScript does not know it yet. */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };

/**
 * A number that JavaScript's numbers cannot hold, such as `9007199254740993` or `1e400`.
 *
 * As a text, and in JSON, it is as the service wrote it. Arithmetic rounds it;
 * `BigInt(String(number))` does not.
 */
export class ExactNumber {
  /** The number as it was written. */
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  valueOf(): number {
    return Number(this.text);
  }

  toString(): string {
    return this.text;
  }

  toJSON(): unknown {
    return rawJSON(this.text);
  }
}

/**
 * Patterns of which each number that JavaScript cannot hold contains one: 16 digits, or an exponent of
 * three. With fewer, a double has the digits to spare. Quantifiers would make the first one 20 times as
 * slow, since V8 then looks at each character.
 */
const MANY_DIGITS = new RegExp(String.raw`[\d.]`.repeat(16));
const LARGE_EXPONENT = /[eE][+-]?\d\d\d(?<=(?:^|[:,[\s])-?[\d.]+[eE][+-]?\d\d\d)/;

/** Characters of the shortest number that JavaScript cannot hold: `1e400`. */
const SHORTEST = 5;
/** With a second sign, which no number has: a stand-in behind it would be one. */
const NUMBER_CHARACTERS = /-{0,2}\d[-+.\deE]*/g;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** Bytes that an object or array weighs: an entity of two fields takes 2.7 kB, and a page 16 times its bytes. */
const OBJECT_WEIGHT = 200;
/** Bytes that a further field or element weighs: a field takes 0.6 kB, a number that is no double 0.8 kB. */
const VALUE_WEIGHT = 50;
/** Characters of an exponent that is calculated exactly, with its sign. */
const MAX_EXPONENT_LENGTH = 16;
/** Positive numbers below this one are multiples of the smallest. */
const MIN_NORMAL = 2 ** -1022;

/**
 * Parses JSON without altering a number: one that JavaScript cannot hold becomes an {@link ExactNumber}.
 *
 * @throws SyntaxError when the text is not JSON.
 */
export function parseJson(text: string): unknown {
  const isExact = !MANY_DIGITS.test(text) && !LARGE_EXPONENT.test(text);
  return isExact ? JSON.parse(text) : parseExactly(text);
}

/**
 * Parses a text with stand-ins for the numbers that JavaScript cannot hold, and replaces them in the value.
 * The n-th stand-in is n times the smallest number. No other number of the text is mistaken for one, since
 * those below {@link MIN_NORMAL} have stand-ins, too.
 */
function parseExactly(text: string): unknown {
  const numbers: (ExactNumber | number)[] = [];
  const withStandIns = replaceNumbers(text, (literal) => {
    if (!NUMBER.test(literal)) return literal;
    const double = Number(literal);
    const isHeld = isDouble(double, literal);
    if (isHeld && !isSubnormal(double)) return literal;
    numbers.push(isHeld ? double : new ExactNumber(copyOf(literal)));
    return String(numbers.length * Number.MIN_VALUE);
  });
  if (numbers.length === 0) return JSON.parse(text);
  const root: Members = {};
  try {
    root['value'] = JSON.parse(withStandIns);
  } catch (error) {
    // Its position is one in the other text.
    JSON.parse(text);
    throw error;
  }
  replaceStandIns(root, numbers);
  return root['value'];
}

/** A slice would keep the whole text in memory as long as the number lives. */
function copyOf(literal: string): string {
  return JSON.parse(`"${literal}"`) as string;
}

/** Replaces the numbers of a text. */
function replaceNumbers(json: string, replacementOf: (literal: string) => string): string {
  const parts: string[] = [];
  let copied = 0;
  for (const [start, end] of betweenStrings(json)) {
    const between = end - start < SHORTEST ? '' : json.slice(start, end);
    for (const { 0: literal, index } of between.matchAll(NUMBER_CHARACTERS)) {
      const replacement = literal.length < SHORTEST ? literal : replacementOf(literal);
      if (replacement === literal) continue;
      parts.push(json.slice(copied, start + index), replacement);
      copied = start + index + literal.length;
    }
  }
  return parts.length === 0 ? json : parts.join('') + json.slice(copied);
}

/**
 * The bytes of an average body that takes as much memory as this JSON text does until its events are published.
 * Small objects, fields and numbers take much more than their text.
 *
 * Brackets and commas within texts count, too, unless that exceeds the limit: to skip all texts takes a third of the
 * time of parsing.
 */
export function weightOf(json: string, limit: number): number {
  const brackets = countOf('{', json) + countOf('[', json);
  const rough = OBJECT_WEIGHT * brackets + VALUE_WEIGHT * countOf(',', json);
  if (rough <= limit) return rough;
  let weight = 0;
  for (const [start, end] of betweenStrings(json)) {
    for (let at = start; at < end; at += 1) {
      const character = json[at];
      if (character === '{' || character === '[') weight += OBJECT_WEIGHT;
      else if (character === ',') weight += VALUE_WEIGHT;
    }
  }
  return weight;
}

function countOf(character: string, text: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1))
    count += 1;
  return count;
}

/** The parts of a JSON text that are no strings. No pattern: it overflows at some MB. */
function* betweenStrings(json: string): Generator<readonly [start: number, end: number]> {
  for (let start = 0; start < json.length;) {
    const quote = json.indexOf('"', start);
    yield [start, quote === -1 ? json.length : quote];
    start = quote === -1 ? json.length : endOfString(json, quote);
  }
}

/** The position after the string that starts at a quote. */
function endOfString(json: string, quote: number): number {
  for (let end = json.indexOf('"', quote + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let backslash = end - 1;
    while (json[backslash] === '\\') backslash -= 1;
    if ((end - backslash) % 2 === 1) return end + 1;
  }
  return json.length;
}

type Members = Record<string | number, unknown>;

/** An object or array whose members are not all visited yet. */
interface Visit {
  readonly members: Members;
  readonly keys: Iterator<string | number, undefined>;
}

/**
 * Puts the numbers into a value. Holds only the way to the present member: a page may have millions of
 * objects, and may be nested deeper than the call stack. JSON.parse has no limit.
 */
function replaceStandIns(root: Members, numbers: readonly (ExactNumber | number)[]): void {
  const visits = [visit(root)];
  for (let current = visits[0]; current !== undefined; current = visits.at(-1)) {
    const { members, keys } = current;
    const next = keys.next();
    if (next.done === true) {
      visits.pop();
      continue;
    }
    const member = members[next.value];
    if (typeof member === 'object' && member !== null) visits.push(visit(member as Members));
    // An own field, so this replaces __proto__ as well.
    else if (isSubnormal(member)) members[next.value] = numbers[member / Number.MIN_VALUE - 1];
  }
}

function visit(members: Members): Visit {
  return { members, keys: Array.isArray(members) ? members.keys() : Object.keys(members).values() };
}

function isSubnormal(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && value < MIN_NORMAL;
}

function isDouble(double: number, literal: string): boolean {
  const written = String(double);
  return (
    written === literal || (Number.isFinite(double) && decimalOf(written) === decimalOf(literal))
  );
}

/** Whether two numbers have the same value, however they are written. */
export function isSameNumber(a: ExactNumber, b: ExactNumber): boolean {
  return a.text === b.text || decimalOf(a.text) === decimalOf(b.text);
}

/**
 * The one form of a decimal number's value: `15e-1` for `1.5`, `1.50` and `150E-2`; `0` for `-0`. A number whose
 * exponent has more than 15 digits stays as written: to calculate with millions of digits takes minutes.
 */
export function decimalOf(literal: string): string {
  const [mantissa = '', exponent = '0'] = literal.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = whole + fraction;
  let [start, end] = [0, digits.length];
  while (digits[start] === '0') start += 1;
  while (end > start && digits[end - 1] === '0') end -= 1;
  if (start === end) return '0';
  if (exponent.length > MAX_EXPONENT_LENGTH) return literal;
  const power = Number(exponent) + whole.length - end;
  return `${mantissa.startsWith('-') ? '-' : ''}${digits.slice(start, end)}e${power}`;
}
