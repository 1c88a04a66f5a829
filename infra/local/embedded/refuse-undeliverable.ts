import type { buildApp } from 'fauxqs';
import { LOCAL_ACCOUNT, LOCAL_REGION } from './endpoints.ts';

type App = ReturnType<typeof buildApp>;

const QUEUE_ARN = new RegExp(`^arn:aws:sqs:${LOCAL_REGION}:${LOCAL_ACCOUNT}:([\\w.-]+)$`);

/**
 * Refuses subscriptions to which the embedded topic would never deliver. It would accept them, and
 * their owner would wait for events.
 */
export function refuseUndeliverable(app: App): void {
  app.addHook('preHandler', async (request, reply) => {
    const input = request.body as Readonly<Record<string, string>> | undefined;
    if (input?.['Action'] !== 'Subscribe') return;
    const problem = await findProblem(app, input['Protocol'], input['Endpoint'] ?? '');
    if (problem === undefined) return;
    const error = `<Error><Type>Sender</Type><Code>InvalidParameter</Code><Message>${problem}</Message></Error>`;
    await reply
      .code(400)
      .type('text/xml')
      .send(`<ErrorResponse>${error}<RequestId>${request.id}</RequestId></ErrorResponse>`);
  });
}

/** @returns why nothing would be delivered; XML needs no escapes in it. */
async function findProblem(
  app: App,
  protocol: string | undefined,
  endpoint: string,
): Promise<string | undefined> {
  if (protocol !== 'sqs') {
    return 'The embedded topic delivers to SQS queues only. Subscribe a queue, and pass its messages on.';
  }
  const [, queue] = QUEUE_ARN.exec(endpoint) ?? [];
  if (queue !== undefined && (await hasQueue(app, queue))) return undefined;
  return `The endpoint is no queue of the embedded SQS. Create the queue there, and subscribe arn:aws:sqs:${LOCAL_REGION}:${LOCAL_ACCOUNT}:[name].`;
}

async function hasQueue(app: App, QueueName: string): Promise<boolean> {
  const answer = await app.inject({
    method: 'POST',
    url: '/',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'AmazonSQS.GetQueueUrl',
    },
    payload: JSON.stringify({ QueueName }),
  });
  return answer.statusCode === 200;
}
