import type { BatchResultErrorEntry, SNSServiceException } from '@aws-sdk/client-sns';

/**
 * Whose fault a failure is. `passing`: nobody's, so the same may pass later. `size`: this message has
 * too many bytes, so what it refers to must go another way. `event`: this event's, so it never will be
 * accepted. `topic`: the topic's, its key's or our rights', so no event will until someone acts.
 * `unknown`: either of these two.
 */
export type Fault = 'passing' | 'size' | 'event' | 'topic' | 'unknown';

/** Names of errors that say: later, perhaps. */
const TRANSIENT = /throttl|toomany|limitexceeded|slowdown|timeout|internal|unavailable/i;
/** Names of errors about the topic, its key or our rights. */
const TOPIC =
  /^(access|auth|kms|expiredtoken|invalidclienttoken|invalidsecurity|notfound|resourcenotfound)/i;
/** Names of errors about what was sent. */
const CONTENT = /^(invalidmessage|invalidparameter|parametervalue|validation)/i;
/** Names, or words of errors about what was sent, that say: too many bytes. */
const SIZE = /too ?(large|long)/i;

/** A failure that HTTP 200 carried. What is in neither list of the answer may pass as well. */
export function faultOfEntry(entry: BatchResultErrorEntry | undefined): {
  readonly error: Error;
  readonly fault: Fault;
} {
  const error = new Error(entry?.Message ?? 'the answer does not mention the event');
  error.name = entry?.Code ?? 'NoAnswer';
  if (!entry?.SenderFault || TRANSIENT.test(error.name)) return { error, fault: 'passing' };
  return { error, fault: faultInWords(error) };
}

/** The fault of a call that failed. Errors without an HTTP status never reached SNS or lost its answer. */
export function faultOfCall(error: Error & Partial<SNSServiceException>): Fault {
  const status = error.$metadata?.httpStatusCode;
  if (status === undefined || status >= 500 || status === 408 || status === 429) return 'passing';
  if (TRANSIENT.test(error.name)) return 'passing';
  if (status === 413) return 'size';
  if (status === 401 || status === 403 || status === 404) return 'topic';
  return faultInWords(error);
}

function faultInWords({ name, message }: Error): Fault {
  if (TOPIC.test(name)) return 'topic';
  if (SIZE.test(name)) return 'size';
  if (!CONTENT.test(name)) return 'unknown';
  if (message.includes('TopicArn')) return 'topic';
  return SIZE.test(message) ? 'size' : 'event';
}

/** What the operator can do about an error of the topic. */
export function hintFor(error: unknown): string {
  const { name } = error as Error;
  if (/^(resource)?notfound/i.test(name)) {
    return 'Check that the topic named in the settings exists in this account and region.';
  }
  if (TOPIC.test(name) && !TRANSIENT.test(name)) {
    return "Allow the poller's role to publish to the topic and to use the topic's key.";
  }
  return "The next run publishes what is left again, with the same ids. If it lasts, look at the topic's quotas and its region's health.";
}
