import { SQSClient } from '@aws-sdk/client-sqs';
import { requestHandler } from '../adapters/shared/request-handler.ts';

/** Makes the client of SQS: a module of its own, since few runs need it and every start would load it. */
export function makeSqsClient(): SQSClient {
  return new SQSClient({ requestHandler });
}
