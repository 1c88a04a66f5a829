import type { BatchResultErrorEntry, SNSServiceException } from '@aws-sdk/client-sns';

/**
 * Whose fault a failure is. `passing`: nobody's, so the same may pass later. `event`: this event's, so
 * it never will. `topic`: the topic's, its key's or our rights', so no event will until someone acts.
 */
export type Fault = 'passing' | 'event' | 'topic';

/** Names of errors that say: later, perhaps. */
const PASSING = /throttl|toomany|limitexceeded|slowdown|timeout|internal|unavailable/i;
/** Names of errors about the topic, its key or our rights. */
const TOPIC =
  /^(access|auth|kms|expiredtoken|invalidclienttoken|invalidsecurity|notfound|resourcenotfound)/i;
/** Names of errors about what was sent. */
const CONTENT = /^(batchrequesttoolong|invalidmessage|invalidparameter|parametervalue|validation)/i;

/** A failure that HTTP 200 carried. What is in neither list of the answer may pass as well. */
export function faultOfEntry(entry: BatchResultErrorEntry | undefined): {
  readonly error: Error;
  readonly fault: Fault;
} {
  const error = new Error(entry?.Message ?? 'the answer does not mention the event');
  error.name = entry?.Code ?? 'NoAnswer';
  if (!entry?.SenderFault || PASSING.test(error.name)) return { error, fault: 'passing' };
  return { error, fault: TOPIC.test(error.name) ? 'topic' : 'event' };
}

/** The fault of a call that failed. Errors without an HTTP status never reached SNS or lost its answer. */
export function faultOfCall(error: Error & Partial<SNSServiceException>): Fault {
  const status = error.$metadata?.httpStatusCode;
  if (status === undefined || status >= 500 || status === 429 || PASSING.test(error.name)) {
    return 'passing';
  }
  return CONTENT.test(error.name) && !error.message.includes('TopicArn') ? 'event' : 'topic';
}

/** What the operator can do about an error of the topic. */
export function hintFor(error: unknown): string {
  const { name } = error as Error;
  if (/^(resource)?notfound/i.test(name)) {
    return 'Check that the topic named in the settings exists in this account and region.';
  }
  if (TOPIC.test(name) && !PASSING.test(name)) {
    return "Allow the poller's role to publish to the topic and to use the topic's key.";
  }
  return "The next run publishes what is left again, with the same ids. If it lasts, look at the topic's quotas and its region's health.";
}
