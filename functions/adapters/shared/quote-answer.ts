import { REDACTED, redactText } from './redact.ts';

const MAX_LENGTH = 200;
/** Enough for a quotation: a foreign answer may have many MB. */
const MAX_READ_LENGTH = 4_000;

/** Tokens, keys, signatures and hashes are long runs of these characters. */
const LONG_RUN = /[\w+/-]{16,}={0,2}/g;
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;
/** A word, such as `projects`, `v3`, `PROTOCOL` or `InvalidToken`. Other mixtures look random. */
const WORD = /^(?:[A-Z]?[a-z]+(?:[A-Z][a-z]{2,})*|[A-Z]+)?\d?$/;

/**
 * Quotes a foreign answer or an error of the network: one line of at most 200 characters, without
 * anything that is named or looks like a secret.
 */
export function quoteAnswer(text: string): string {
  const line = redactText(text.slice(0, MAX_READ_LENGTH))
    .replace(LONG_RUN, (run) => (isReadable(run) ? run : REDACTED))
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim();
  return line.length <= MAX_LENGTH ? line : `${line.slice(0, MAX_LENGTH).toWellFormed()}…`;
}

/** Whether a long run is words and ids: a path, the name of a host, the code of an error. */
function isReadable(run: string): boolean {
  return run
    .replace(UUID, '')
    .split(/[+/_=-]/)
    .every((part) => WORD.test(part));
}
