import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { startListening } from '../../infra/local/embedded/http-server.ts';

/** A POST that an endpoint received. */
export interface ReceivedPost {
  /** `webhook-id`. */
  readonly id: string;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
  /** The status that it was answered; absent if it was left without an answer. */
  readonly status?: number;
  /** Whether its connection is still open, as that of a sender that waits for the answer. */
  readonly isOpen: () => boolean;
}

/** An endpoint of a webhook. */
export interface WebhookReceiver {
  readonly url: string;
  readonly posts: readonly ReceivedPost[];
  /** What it answers from now on; `undefined`: nothing. */
  status: number | undefined;
  /** Ids of the events that it took, in their order, each once. */
  readonly taken: () => string[];
  close(): Promise<void>;
}

export async function startReceiver(): Promise<WebhookReceiver> {
  const posts: ReceivedPost[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { headers } = request;
      const { status } = receiver;
      const id = String(headers['webhook-id']);
      const isOpen = (): boolean => !request.socket.destroyed;
      posts.push({ id, body, headers, isOpen, ...(status !== undefined && { status }) });
      if (status !== undefined) response.writeHead(status).end();
    });
  });
  const listening = await startListening(server);
  const receiver: WebhookReceiver = {
    url: `${listening.url}/hook`,
    posts,
    status: 204,
    taken: () => [...new Set(posts.filter(({ status }) => status === 204).map(({ id }) => id))],
    close: () => listening.close(),
  };
  return receiver;
}

/**
 * Checks the signatures of posts, as a receiver does.
 *
 * @throws WebhookVerificationError naming what is wrong.
 */
export function verifyPosts(posts: readonly ReceivedPost[], secret: string): void {
  const webhook = new Webhook(secret);
  for (const { body, headers } of posts) webhook.verify(body, headers as Record<string, string>);
}
