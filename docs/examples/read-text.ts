import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';

/**
 * Reads the texts of events that are too large for the topic, at `s3://<bucket>/<key>`.
 *
 * @param bucket the stack's output `LargeEventsBucket`. No other one is read: who can send to the
 *   queue could name any bucket that the role may read.
 */
export function readTextFrom(s3: S3Client, bucket: string): (dataref: string) => Promise<string> {
  return async (dataref) => {
    const { protocol, hostname, pathname } = new URL(dataref);
    if (protocol !== 's3:' || hostname !== bucket) {
      throw new Error(`Event not read: ${dataref} is not in the bucket ${bucket}`);
    }
    const object = new GetObjectCommand({ Bucket: bucket, Key: pathname.slice(1) });
    const { Body } = await s3.send(object);
    if (Body === undefined) throw new Error(`Event not read: ${dataref} has no content`);
    return Body.transformToString();
  };
}
