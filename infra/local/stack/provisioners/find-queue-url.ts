import { GetQueueUrlCommand } from '@aws-sdk/client-sqs';
import { LOCAL_ACCOUNT, LOCAL_REGION } from '../../embedded/endpoints.ts';
import { TemplateError } from '../resolve-template.ts';
import type { DesiredResource, ProvisionContext } from './provisioner.ts';

const LOCAL_QUEUES = `arn:aws:sqs:${LOCAL_REGION}:${LOCAL_ACCOUNT}:`;

/**
 * Finds the queue that a resource reads.
 *
 * @throws TemplateError unless it is one of the embedded SQS.
 */
export async function findQueueUrl(
  arn: string,
  { path }: DesiredResource,
  { clients }: ProvisionContext,
): Promise<string> {
  const problem = `${path}: the local stack reads queues of the template only, and ${arn} is none`;
  if (!arn.startsWith(LOCAL_QUEUES)) throw new TemplateError(problem);
  const command = new GetQueueUrlCommand({ QueueName: arn.slice(LOCAL_QUEUES.length) });
  const { QueueUrl = '' } = await clients.sqs.send(command).catch((error: unknown) => {
    throw new TemplateError(problem, { cause: error });
  });
  return QueueUrl;
}
