import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';

/** Reads the texts of events that are too large for the topic, at `s3://<bucket>/<key>`. */
export function readTextFrom(s3: S3Client): (dataref: string) => Promise<string> {
  return async (dataref) => {
    const { hostname, pathname } = new URL(dataref);
    const object = new GetObjectCommand({ Bucket: hostname, Key: pathname.slice(1) });
    const { Body } = await s3.send(object);
    if (Body === undefined) throw new Error(`Event not read: ${dataref} has no content`);
    return Body.transformToString();
  };
}
