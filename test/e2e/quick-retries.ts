import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { startListening, type LocalServer } from '../../infra/local/embedded/http-server.ts';

/** The part of a wait that is left: 5 minutes take a second. */
const SPEED = 1000;

interface Call {
  readonly VisibilityTimeout?: number;
}

/** Starts a proxy in front of SQS that shortens how long messages are hidden by their receiver. */
export async function startQuickRetries(sqs: string): Promise<LocalServer> {
  const proxy = createServer((incoming, response) => {
    const { host, connection, 'content-length': _, ...headers } = incoming.headers;
    const pass = async (): Promise<void> => {
      const call = (await json(incoming)) as Call;
      const isHiding = headers['x-amz-target'] === 'AmazonSQS.ChangeMessageVisibility';
      const { VisibilityTimeout: seconds = 0 } = call;
      const changed = { ...call, VisibilityTimeout: Math.ceil(seconds / SPEED) };
      const answer = await fetch(sqs, {
        method: 'POST',
        headers: headers as Record<string, string>,
        body: JSON.stringify(isHiding ? changed : call),
      });
      response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0' });
      response.end(await answer.text());
    };
    pass().catch(() => response.destroy());
  });
  return startListening(proxy);
}
