import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import {
  isClaimCheck,
  parseChangeEvent,
  resolveClaimCheck,
  type ChangeEvent,
} from 'sitecast/events';

/**
 * Reads the event of a message, from the bucket if it is too large for the topic.
 *
 * @param body the event with raw message delivery; otherwise SNS's envelope around it.
 * @throws InvalidChangeEventError if the body holds no event; the error of S3 if the bucket fails.
 */
export async function readEvent(body: string, s3: S3Client): Promise<ChangeEvent> {
  const event = parseChangeEvent(withoutEnvelope(body));
  return isClaimCheck(event) ? resolveClaimCheck(event, (uri) => readObject(s3, uri)) : event;
}

/** Unwraps an SNS envelope. Any other body is returned as it is: the parser reports its errors. */
function withoutEnvelope(body: string): string {
  const { Type, Message } = objectIn(body);
  return Type === 'Notification' && typeof Message === 'string' ? Message : body;
}

function objectIn(json: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(json)) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}

/** @param uri `s3://<bucket>/<key>`. */
async function readObject(s3: S3Client, uri: string): Promise<string> {
  const { hostname, pathname } = new URL(uri);
  const object = new GetObjectCommand({ Bucket: hostname, Key: pathname.slice(1) });
  const { Body } = await s3.send(object);
  if (Body === undefined) throw new Error(`Event not read: ${uri} has no content`);
  return Body.transformToString();
}
