/** `JSON.rawJSON` of Node.js 22, which TypeScript does not know yet. */
const { rawJSON } = JSON as { readonly rawJSON?: (text: string) => unknown };

/**
 * A number that JavaScript's numbers cannot hold, such as `9007199254740993` or `1e400`.
 *
 * As a text, and in JSON, it is as the service wrote it (in JSON of Node.js before 22: a text). Arithmetic
 * rounds it; `BigInt(String(number))` does not.
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
    return rawJSON === undefined ? this.text : rawJSON(this.text);
  }
}

/**
 * Patterns of which each number that JavaScript cannot hold contains one: 16 digits, or an exponent of
 * three. With fewer, a double has the digits to spare. Quantifiers would make the first one 20 times as
 * slow, since V8 then looks at each character.
 */
const MANY_DIGITS = new RegExp(String.raw`[\d.]`.repeat(16));
const LARGE_EXPONENT = /[eE][+-]?\d\d\d(?<=(?:^|[:,[\s])-?[\d.]+[eE][+-]?\d\d\d)/;

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** Characters of the shortest number that JavaScript cannot hold: `1e400`. */
const SHORTEST = 5;

/**
 * Parses JSON without altering a number: one that JavaScript cannot hold becomes an {@link ExactNumber}.
 *
 * @throws SyntaxError when the text is not JSON.
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const isExact = !MANY_DIGITS.test(text) && !LARGE_EXPONENT.test(text);
  return isExact ? value : withExactNumbers(value, text);
}

/** Parses the text once more with the numbers in question as texts, and puts these into the value. */
function withExactNumbers(value: unknown, text: string): unknown {
  const quoted = quoteExactNumbers(text);
  if (quoted.length === text.length) return value;
  const root = { value };
  // A list instead of recursion: entities may be nested deeper than the stack. JSON.parse has no limit.
  const pairs: [Record<string, unknown>, Record<string, unknown>][] = [
    [root, { value: JSON.parse(quoted) }],
  ];
  for (const [rounded, exact] of pairs) {
    for (const [key, member] of Object.entries(rounded)) {
      const other = exact[key];
      // An own field, so this replaces __proto__ as well.
      if (typeof member === 'number' && typeof other === 'string') {
        rounded[key] = new ExactNumber(other);
      } else if (typeof member === 'object' && member !== null) {
        pairs.push([member as Record<string, unknown>, other as Record<string, unknown>]);
      }
    }
  }
  return root.value;
}

/** Makes texts of the numbers that JavaScript cannot hold. No pattern for texts: it overflows at some MB. */
function quoteExactNumbers(json: string): string {
  let quoted = '';
  for (let end = 0; end < json.length;) {
    const start = json.indexOf('"', end);
    const between = json.slice(end, start === -1 ? json.length : start);
    quoted +=
      between.length < SHORTEST
        ? between
        : between.replace(NUMBER, (literal) => (isDouble(literal) ? literal : `"${literal}"`));
    end = start === -1 ? json.length : endOfText(json, start);
    if (start !== -1) quoted += json.slice(start, end);
  }
  return quoted;
}

/** The position after the text that starts at a quote. */
function endOfText(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); ; end = json.indexOf('"', end + 1)) {
    let backslash = end - 1;
    while (json[backslash] === '\\') backslash -= 1;
    if ((end - backslash) % 2 === 1) return end + 1;
  }
}

function isDouble(literal: string): boolean {
  const double = Number(literal);
  return Number.isFinite(double) && decimalOf(String(double)) === decimalOf(literal);
}

/** Whether two numbers have the same value, however they are written. */
export function isSameNumber(a: ExactNumber, b: ExactNumber): boolean {
  return a.text === b.text || decimalOf(a.text) === decimalOf(b.text);
}

/** The one form of a decimal number's value: `15e-1` for `1.5`, `1.50` and `150E-2`; `0` for `-0`. */
export function decimalOf(literal: string): string {
  const [mantissa = '', exponent = '0'] = literal.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = whole + fraction;
  let [start, end] = [0, digits.length];
  while (digits[start] === '0') start += 1;
  while (end > start && digits[end - 1] === '0') end -= 1;
  if (start === end) return '0';
  const power = BigInt(exponent) + BigInt(whole.length - end);
  return `${mantissa.startsWith('-') ? '-' : ''}${digits.slice(start, end)}e${power}`;
}

/**
 * Levels of objects and arrays that an entity may have. Many JSON parsers of subscribers stop at 64, and
 * recursion fails at a few thousand.
 */
export const MAX_DEPTH = 50;

/** Whether a JSON value has more levels of objects and arrays. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return false;
  if (levels === 0) return true;
  // Each entity is checked: a list of its values would cost as much as the rest of the comparison.
  for (const key in value) {
    const inner = (value as Record<string, unknown>)[key];
    if (typeof inner === 'object' && isDeeperThan(inner, levels - 1)) return true;
  }
  return false;
}

/** The value without its levels below {@link MAX_DEPTH}: such a value can be written as JSON. */
export function cutToDepth(value: unknown): unknown {
  return isDeeperThan(value, MAX_DEPTH) ? cut(value, MAX_DEPTH) : value;
}

function cut(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return value;
  if (levels === 0) return '[cut: nested too deeply]';
  if (Array.isArray(value)) return value.map((inner) => cut(inner, levels - 1));
  const fields = Object.entries(value).map(([field, inner]) => [field, cut(inner, levels - 1)]);
  return Object.fromEntries(fields) as unknown;
}
