/** The signs of base64, which other formats escape, and the forms in which they occur. */
const SIGNS: Readonly<Record<string, string>> = {
  '+': signPattern('[+-]', '2[bB]', 43),
  '/': signPattern('[/_]', '2[fF]', 47),
  '=': signPattern('=', '3[dD]', 61),
};

/** What languages print before a byte in hexadecimal digits. */
const PREFIX = String.raw`(?:0x|%|\\{1,4}(?:x|u00))?`;

/** What parts bytes in hexadecimal digits: any signs, quotation marks too, but for the dots before what is left out. */
const SIGN = String.raw`[^\w.]`;

/** The letters of {@link PREFIX}: its signs are those between bytes. */
const LETTERS = '(?:0?x|u00)?';

/** Some programs break base64 into lines, which JSON escapes. */
const LINE_END = String.raw`(?:\s|\\+[nr])*`;

/** The last sign of a byte's base64 depends on what follows the byte. */
const ANY_SIGN = `(?:[A-Za-z0-9]|${SIGNS['+']}|${SIGNS['/']})`;

/** So many bytes are compared: some programs print no more than the first ones. Further ones only have to look like bytes. */
const COMPARED = 24;

/**
 * Matches bytes, and those of their base64, in the forms in which a program prints them: base64 of both alphabets, with
 * padding or without, also if JSON, a URL or HTML escapes its signs; hexadecimal digits, together or by bytes; a list of
 * numbers, with a sign or without, also with the index of each.
 *
 * @param secrets not empty.
 */
export function secretPattern(secrets: readonly Uint8Array[]): RegExp {
  const forms = secrets.flatMap((bytes) => {
    const secret = Buffer.from(bytes);
    const text = secret.toString('base64');
    const bare = text.replace(/=+$/, '');
    return [...formsOf(secret), ...formsOf(Buffer.from(bare), text.length - bare.length)];
  });
  return new RegExp(forms.join('|'), 'g');
}

/** @param padding bytes that may follow. */
function formsOf(secret: Buffer, padding = 0): string[] {
  const bytes = [...secret.subarray(0, COMPARED)];
  const more = secret.length + padding - bytes.length;
  const hex = bytes.map((byte) => anyCase(byte.toString(16).padStart(2, '0')));
  // Without a leading zero only where something parts the bytes: else a text of zeros could match in many ways.
  const short = hex.map((digits) => digits.replace(/^0/, '0?'));
  const decimal = bytes.map((byte) => (byte > 127 ? `(?:${byte}|${256 - byte})` : `${byte}`));
  const joined = (pattern: readonly string[], separator: string, next: string) =>
    `${pattern.join(separator)}(?:${separator}${next}){0,${more}}`;
  return [
    base64Pattern(secret, padding),
    PREFIX + joined(hex, `${SIGN}*${LETTERS}`, '[0-9a-fA-F]{2}'),
    PREFIX + joined(short, `${SIGN}+${LETTERS}`, '[0-9a-fA-F]{1,2}'),
    // What parts numbers has no digit, their signs included, or one number: a text can match in one way only.
    '-?' + joined(decimal, String.raw`\D+`, String.raw`\d+`),
    '-?' + joined(decimal, String.raw`\D+\d+\D+`, String.raw`\d+`),
  ];
}

function base64Pattern(secret: Buffer, padding: number): string {
  const own = secret.toString('base64').slice(0, Math.floor((secret.length * 8) / 6));
  const signs = Array.from(own, (sign) => SIGNS[sign] ?? sign).join(LINE_END);
  const more = Math.ceil(((secret.length + padding) * 8) / 6) - own.length;
  return `${signs}(?:${LINE_END}${ANY_SIGN}){0,${more}}${SIGNS['=']}*`;
}

/** Matches a sign as it is, behind backslashes, and escaped by its number in a URL, in JSON and in HTML. */
function signPattern(sign: string, hex: string, decimal: number): string {
  return String.raw`(?:\\*${sign}|%(?:25)*${hex}|\\+u00${hex}|&#[xX]${hex};|&#${decimal};)`;
}

function anyCase(digits: string): string {
  return digits.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}
