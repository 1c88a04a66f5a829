import type { BatchResultErrorEntry, SNSServiceException } from '@aws-sdk/client-sns';
import { isThrottled } from '../shared/aws-errors.ts';
import { isTransientStatus } from '../shared/http-exchange.ts';

/**
 * Cause of a failure.
 *
 * - `transient`: the same message may be accepted later.
 * - `event`: this event will never be accepted.
 * - `topic`: the topic, its key, our rights, or unknown; no event is accepted until someone acts.
 */
export type Fault = 'transient' | 'event' | 'topic';

/** Names of transient errors, besides those of a quota. */
const TRANSIENT = /timeout|internal|unavailable/i;
/** Names of errors about the topic, its key or our rights. */
const TOPIC =
  /^(access|auth|kms|expiredtoken|invalidclienttoken|invalidsecurity|notfound|resourcenotfound)/i;
/** Names of errors about the message. */
const CONTENT = /^(invalidmessage|invalidparameter|parametervalue|validation)|too(large|long)/i;

/**
 * Classifies a failed entry of a call with HTTP 200. An entry that the answer leaves out is
 * transient.
 */
export function faultOfEntry(entry: BatchResultErrorEntry | undefined): {
  readonly error: Error;
  readonly fault: Fault;
} {
  const error = new Error(entry?.Message ?? 'The answer does not mention the event');
  error.name = entry?.Code ?? 'NoAnswer';
  if (!entry?.SenderFault || isTransient(error)) return { error, fault: 'transient' };
  return { error, fault: faultByNameAndMessage(error) };
}

/**
 * Classifies a failed call. Without an HTTP status the call never reached SNS, or its answer was
 * lost. An answer that the SDK cannot read has a status, 200 included, but no `$fault`: it says
 * nothing about the event, which SNS may have accepted.
 */
export function faultOfCall(error: Error & Partial<SNSServiceException>): Fault {
  const status = error.$metadata?.httpStatusCode;
  if (status === undefined || status < 400 || isTransientStatus(status)) return 'transient';
  if (isTransient(error)) return 'transient';
  if (status === 413) return 'event';
  if (status === 401 || status === 403 || status === 404) return 'topic';
  return error.$fault === undefined ? 'transient' : faultByNameAndMessage(error);
}

function isTransient(error: Error): boolean {
  return isThrottled(error) || TRANSIENT.test(error.name);
}

function faultByNameAndMessage({ name, message }: Error): Fault {
  return CONTENT.test(name) && !message.includes('TopicArn') ? 'event' : 'topic';
}

/** A hint how to solve an error of the topic. */
export function hintFor(error: unknown): string {
  const { name } = error as Error;
  if (TOPIC.test(name) && !isTransient(error as Error)) {
    return "Check that the topic and its key exist, and that the poller's role may use both.";
  }
  return "The next run publishes the others. If it persists, check the topic's quotas and region.";
}
