import { createServer, type IncomingMessage, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import type { S3Client } from '@aws-sdk/client-s3';
import type { ChangeEvent } from 'sitecast/events';
import { readEvent } from './read-event.ts';
import { confirms, isSignedBySns, snsMessage, type SnsMessage } from './sns-signature.ts';

/** What {@link makeReceiver} works with. */
export interface ReceiverOptions {
  /** The topic that may speak to us; anybody can make a topic and subscribe our address to it. */
  readonly topicArn: string;
  /** Opens events that are too large for the topic. */
  readonly s3: S3Client;
  /** Does the work, within SNS's 15 seconds; may get an event more than once. */
  readonly handle: (event: ChangeEvent) => Promise<unknown>;
  /** Default: the global one. */
  readonly fetch?: typeof globalThis.fetch;
}

/** A message of SNS is at most 256 KiB, and its JSON envelope at most doubles that. */
const MAX_BYTES = 1_000_000;

/**
 * Receives what an HTTPS subscription without raw message delivery posts: raw messages carry no
 * signature. TLS ends before it: at a load balancer, say.
 *
 * It answers 200 once the event is handled; 403 to what SNS did not sign for our topic; 500 when the
 * handling failed, and SNS tries again as the subscription's delivery policy says. After a 4xx it does
 * not: with a wrong `topicArn` here all messages go to the dead-letter queue.
 */
export function makeReceiver(options: ReceiverOptions): Server {
  const { fetch = globalThis.fetch } = options;
  const certificates = new Map<string, Promise<string>>();
  const certificateAt = (url: string): Promise<string> => {
    const certificate = certificates.get(url) ?? download(fetch, url);
    certificates.set(url, certificate);
    // One that could not be had is asked for again.
    certificate.catch(() => certificates.delete(url));
    return certificate;
  };

  async function receive(request: IncomingMessage): Promise<number> {
    if (request.method !== 'POST') return 405;
    if (Number(request.headers['content-length'] ?? Infinity) > MAX_BYTES) return 413;
    const message = messageIn(await text(request));
    const { topicArn } = options;
    if (!message || !(await isSignedBySns(message, topicArn, certificateAt))) return 403;
    const { Type, SubscribeURL } = message;
    if (Type === 'SubscriptionConfirmation' && confirms(topicArn, SubscribeURL)) {
      await download(fetch, SubscribeURL);
    }
    if (Type === 'Notification') {
      await options.handle(await readEvent(message.Message, options.s3));
    }
    return 200;
  }

  return createServer((request, response) => {
    receive(request)
      .catch((error: unknown) => {
        console.error('a message was not handled; SNS sends it again', error);
        return 500;
      })
      .then((status) => response.writeHead(status, { connection: 'close' }).end())
      .catch(console.error);
  });
}

function messageIn(body: string): SnsMessage | undefined {
  try {
    return snsMessage.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}

async function download(fetch: typeof globalThis.fetch, url: string): Promise<string> {
  const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(5000) });
  if (!answer.ok) throw new Error(`${new URL(url).origin} answers ${answer.status}`);
  return answer.text();
}
