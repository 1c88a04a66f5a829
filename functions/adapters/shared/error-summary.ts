/** Longest line that is taken over, in characters. AWS needs some 400 to say who may not do what. */
const LONGEST = 500;

/**
 * What of an error of AWS may stand in the message of another: its name and its first line. Further
 * lines of some repeat the request's signed headers, and with them a token.
 */
export function summarizeError(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  return `${error.name}: ${error.message.replace(/\n.*/s, '').slice(0, LONGEST)}`;
}
