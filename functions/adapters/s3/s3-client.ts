import { S3Client } from '@aws-sdk/client-s3';
import { requestHandler } from '../shared/request-handler.ts';

/** An event may have megabytes. */
const REQUEST_TIMEOUT_MS = 20_000;

export function makeS3Client(): S3Client {
  return new S3Client({
    requestHandler: { ...requestHandler, requestTimeout: REQUEST_TIMEOUT_MS },
  });
}
