import { redactText } from '../shared/redact.ts';

/** Longest quotation of an answer. */
const MAX_LENGTH = 200;
/** A signing secret, and a signature: some endpoints repeat both when they refuse. */
const SECRETS = /whsec_[\w+/=-]+|v1,[\w+/=-]{16,}/g;

/** Quotes the start of an answer: one line, control characters escaped, without secrets. */
export function quoteAnswer(text: string): string {
  const safe = redactText(text.replace(SECRETS, '[redacted]'));
  const line = safe.trim().replace(/[\p{Cc}\p{Cf}\u{2028}\u{2029}]/gu, (character) =>
    JSON.stringify(character)
      .slice(1, -1)
      .replace(/[^\x20-\x7e]/gu, escape),
  );
  if (line.length <= MAX_LENGTH) return line;
  // Not half of a character that has two code units.
  return `${line.slice(0, MAX_LENGTH).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

function escape(character: string): string {
  return `\\u${character.codePointAt(0)?.toString(16).padStart(4, '0')}`;
}
