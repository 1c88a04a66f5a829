import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import {
  isClaimCheck,
  parseChangeEvent,
  resolveClaimCheck,
  type ChangeEvent,
} from 'sitecast/events';

/**
 * The event that a message tells, also where it is too large for the topic and lies in the bucket.
 *
 * @param body with raw message delivery the event itself; without, SNS's envelope around it.
 * @throws InvalidChangeEventError when there is no event in it; the bucket's error when it cannot be read.
 */
export async function readEvent(body: string, s3: S3Client): Promise<ChangeEvent> {
  const event = parseChangeEvent(withoutEnvelope(body));
  return isClaimCheck(event) ? resolveClaimCheck(event, (uri) => readObject(s3, uri)) : event;
}

/** What stands in the envelope, if there is one. The parser says what is wrong with anything else. */
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
  if (Body === undefined) throw new Error(`${uri} has no content`);
  return Body.transformToString();
}
