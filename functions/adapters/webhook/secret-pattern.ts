/** The signs of base64, which other formats escape, and the forms in which they occur. */
const SIGNS: Readonly<Record<string, string>> = {
  '+': signPattern('[+-]', '2[bB]', 43),
  '/': signPattern('[/_]', '2[fF]', 47),
  '=': signPattern('=', '3[dD]', 61),
};

/** What languages print before a byte in hexadecimal digits. */
const PREFIX = String.raw`(?:0x|\\{1,4}x)?`;

/**
 * Matches bytes in the forms in which a program prints them: base64 of both alphabets, with padding or without, also if
 * JSON, a URL or HTML escapes its signs; hexadecimal digits, together or by bytes; a list of numbers, with a sign or without.
 *
 * @param secrets not empty.
 */
export function secretPattern(secrets: readonly Uint8Array[]): RegExp {
  const forms = secrets.flatMap((bytes) => {
    const secret = Buffer.from(bytes);
    const base64 = secret.toString('base64').replace(/=+$/, '');
    const padded = `${base64.replace(/[+/]/g, (sign) => SIGNS[sign] ?? sign)}${SIGNS['=']}*`;
    const hex = [...secret].map((byte) => anyCase(byte.toString(16).padStart(2, '0')));
    // Without a leading zero only where something parts the bytes: else a text of zeros could match in many ways.
    const short = hex.map((digits) => digits.replace(/^0/, '0?'));
    const decimal = [...secret].map((byte) => (byte > 127 ? `(?:${byte}|${byte - 256})` : byte));
    return [
      padded,
      PREFIX + hex.join(String.raw`[\s:,-]*${PREFIX}`),
      PREFIX + short.join(String.raw`[\s:,-]+${PREFIX}`),
      decimal.join(String.raw`[\s,]+`),
    ];
  });
  return new RegExp(forms.join('|'), 'g');
}

/** Matches a sign as it is, behind backslashes, and escaped by its number in a URL, in JSON and in HTML. */
function signPattern(sign: string, hex: string, decimal: number): string {
  return String.raw`(?:\\*${sign}|%(?:25)*${hex}|\\+u00${hex}|&#[xX]${hex};|&#${decimal};)`;
}

function anyCase(digits: string): string {
  return digits.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}
