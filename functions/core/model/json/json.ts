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
 * Patterns of which each number that JavaScript cannot hold contains one: 16 digits, or an exponent
 * of three. With fewer, a double has the digits to spare. Quantifiers would make the first one 20
 * times as slow, since V8 then looks at each character.
 */
const MANY_DIGITS = new RegExp(String.raw`[\d.]`.repeat(16));
const LARGE_EXPONENT = /[eE][+-]?\d\d\d(?<=(?:^|[:,[\s])-?[\d.]+[eE][+-]?\d\d\d)/;

/**
 * Parses JSON without altering a number: one that JavaScript cannot hold becomes an
 * {@link ExactNumber}. In a text that is nested too deeply for the call stack it is rounded.
 *
 * @throws SyntaxError when the text is not JSON.
 */
export function parseJson(text: string): unknown {
  if (!MANY_DIGITS.test(text) && !LARGE_EXPONENT.test(text)) return JSON.parse(text);
  try {
    return JSON.parse(text, keepNumber) as unknown;
  } catch {
    // Invalid JSON fails again.
    return JSON.parse(text);
  }
}

/** A reviver. TypeScript does not know its context, the source text of a number, yet. */
function keepNumber(_key: string, value: unknown, { source }: { source?: string } = {}): unknown {
  if (typeof value !== 'number' || source === undefined) return value;
  return isHeld(value, source) ? value : new ExactNumber(source);
}

/** Whether a double has the value that was written. */
function isHeld(double: number, source: string): boolean {
  const written = String(double);
  return (
    written === source || (Number.isFinite(double) && decimalOf(written) === decimalOf(source))
  );
}

/**
 * The one form of a decimal number's value: `15e-1` for `1.5`, `1.50` and `150E-2`; `0` for `-0`.
 * A number whose exponent cannot be calculated exactly stays as written.
 */
export function decimalOf(literal: string): string {
  const [mantissa = '', exponent = '0'] = literal.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = whole + fraction;
  let [start, end] = [0, digits.length];
  while (digits[start] === '0') start += 1;
  while (end > start && digits[end - 1] === '0') end -= 1;
  if (start === end) return '0';
  const power = Number(exponent) + whole.length - end;
  if (!Number.isSafeInteger(power)) return literal;
  return `${mantissa.startsWith('-') ? '-' : ''}${digits.slice(start, end)}e${power}`;
}
