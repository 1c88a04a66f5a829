import { redactText } from '../shared/redact.ts';
import { secretPattern } from './secret-pattern.ts';

/** Longest quotation of an answer. */
const MAX_LENGTH = 200;
/** No form of a secret is longer. */
const LONGEST_SECRET = 2_048;
const REDACTED = '[redacted]';
/** A signing secret, and a signature, by their looks: those of others, and parts of them. */
const SECRETS = /whsec_[\w+/=-]+|v1,[\w+/=-]{16,}/g;

/**
 * Quotes the start of an answer: one line, control characters escaped, without secrets.
 *
 * @param secrets keys and signatures of the request: some endpoints repeat them, in any form, when they refuse.
 * @param isCut whether more came: then the end of the text may be the start of a secret, and is left out.
 */
export function quoteAnswer(text: string, secrets: readonly Uint8Array[], isCut = false): string {
  const known = secrets.filter(({ length }) => length > 0);
  // Text in UTF-16 has a zero beside each sign.
  const plain = text.replaceAll('\0', '');
  const others = known.length > 0 ? plain.replace(secretPattern(known), REDACTED) : plain;
  const redacted = redactText(others.replace(SECRETS, REDACTED));
  const safe = isCut ? redacted.slice(0, Math.max(0, redacted.length - LONGEST_SECRET)) : redacted;
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
