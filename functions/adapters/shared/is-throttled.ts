/** Names of errors of a quota, such as `ProvisionedThroughputExceededException`. */
const THROTTLED = /throttl|toomany|limitexceeded|throughputexceeded|slowdown/i;

/** Whether AWS refused a call because of a quota: the call had no effect, and may succeed later. */
export function isThrottled(error: unknown): boolean {
  return error instanceof Error && THROTTLED.test(error.name);
}
