/** Names of errors of a quota, such as `ProvisionedThroughputExceededException`. */
const THROTTLED = /throttl|toomany|limitexceeded|throughputexceeded|slowdown/i;

/** Whether AWS refused a call because of a quota: the call had no effect, and may succeed later. */
export function isThrottled(error: unknown): boolean {
  return error instanceof Error && THROTTLED.test(error.name);
}

/** AWS needs some 400 characters to name a user, an action and a resource. */
const MAX_LENGTH = 500;

/**
 * Name and first line of an error, to quote in another one. Further lines of some errors of AWS
 * repeat the request's signed headers, and with them a token.
 */
export function summarizeError(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  return `${error.name}: ${error.message.replace(/\n.*/s, '').slice(0, MAX_LENGTH)}`;
}
