import { createServer, type IncomingMessage, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import type { S3Client } from '@aws-sdk/client-s3';
import { readEvent, type ChangeEvent } from 'sitecast-events';
import { readTextFrom } from './read-text.ts';
import { isConfirmation, isSignedBySns, snsMessage, type SnsMessage } from './sns-signature.ts';

/** Options of {@link makeReceiver}. */
export interface ReceiverOptions {
  /** The only topic whose messages are accepted: anybody can subscribe our address to a topic. */
  readonly topicArn: string;
  /** Reads events that are too large for the topic. */
  readonly s3: S3Client;
  /** The bucket of such events: the stack's output `LargeEventsBucket`. */
  readonly bucket: string;
  /** Handles an event within SNS's 15 seconds; may receive an event more than once. */
  readonly handle: (event: ChangeEvent) => Promise<unknown>;
  /** Default: the global one. */
  readonly fetch?: typeof globalThis.fetch;
}

/** A message of SNS is at most 256 KiB, and its JSON envelope at most doubles that. */
const MAX_BYTES = 1_000_000;

/**
 * Receives the messages of an HTTPS subscription without raw message delivery: raw messages carry
 * no signature. Terminate TLS in front of the receiver, for instance at a load balancer.
 *
 * Answers 200 for a handled event, 403 for a message that SNS did not sign for our topic, and 500
 * if the handler failed. SNS retries a 500 by the subscription's delivery policy, but no 403: with
 * a wrong `topicArn` all messages go to the dead-letter queue.
 *
 * Logs the end of the subscription, and visits no address that would restore it: somebody may have
 * meant it.
 */
export function makeReceiver(options: ReceiverOptions): Server {
  const { fetch = globalThis.fetch } = options;
  const certificates = new Map<string, Promise<string>>();
  const certificateAt = (url: string): Promise<string> => {
    const certificate = certificates.get(url) ?? download(fetch, url);
    certificates.set(url, certificate);
    // A failed download is not cached.
    certificate.catch(() => certificates.delete(url));
    return certificate;
  };

  async function receive(request: IncomingMessage): Promise<number> {
    if (request.method !== 'POST') return 405;
    if (Number(request.headers['content-length'] ?? Infinity) > MAX_BYTES) return 413;
    const message = parseMessage(await text(request));
    const { topicArn } = options;
    if (!message || !(await isSignedBySns(message, topicArn, certificateAt))) return 403;
    const { Type, SubscribeURL } = message;
    if (Type === 'SubscriptionConfirmation' && isConfirmation(topicArn, SubscribeURL)) {
      await download(fetch, SubscribeURL);
    }
    if (Type === 'UnsubscribeConfirmation') {
      console.warn(`The subscription to ${topicArn} has ended: ${message.Message}`);
    }
    if (Type === 'Notification') {
      const readText = readTextFrom(options.s3, options.bucket);
      await options.handle(await readEvent(message.Message, readText));
    }
    return 200;
  }

  return createServer((request, response) => {
    receive(request)
      .catch((error: unknown) => {
        console.error('Message handling failed; SNS retries', error);
        return 500;
      })
      .then((status) => response.writeHead(status, { connection: 'close' }).end())
      .catch(console.error);
  });
}

function parseMessage(body: string): SnsMessage | undefined {
  try {
    return snsMessage.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}

async function download(fetch: typeof globalThis.fetch, url: string): Promise<string> {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(5000) });
  if (!response.ok) {
    throw new Error(`Download failed: ${new URL(url).origin} answered ${response.status}`);
  }
  return response.text();
}
