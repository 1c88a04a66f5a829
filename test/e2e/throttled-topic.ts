import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { startListening, type LocalServer } from '../../infra/local/embedded/http-server.ts';
import { passOn } from './pass-on.ts';

/** A proxy in front of a topic, which throttles calls as the quota of a region does. */
export interface ThrottledTopic extends LocalServer {
  /** Calls that were throttled. */
  readonly counts: { throttled: number };
}

/** @param messagesPerSecond that are accepted, of all calls together. */
export async function startThrottledTopic(
  sns: string,
  messagesPerSecond: number,
): Promise<ThrottledTopic> {
  const counts = { throttled: 0 };
  let allowed = messagesPerSecond;
  let countedAt = performance.now();
  /** @returns whether the quota has room for the messages now. */
  const takes = (messages: number): boolean => {
    const now = performance.now();
    const gained = ((now - countedAt) / 1000) * messagesPerSecond;
    allowed = Math.min(messagesPerSecond, allowed + gained);
    countedAt = now;
    if (messages > allowed) return false;
    allowed -= messages;
    return true;
  };
  const proxy = createServer((incoming, response) => {
    const answer = (body: Buffer): void => {
      const parameters = [...new URLSearchParams(body.toString()).keys()];
      const messages = parameters.filter((name) => name.endsWith('.Id')).length;
      if (takes(messages)) {
        passOn(sns, incoming, body, response);
        return;
      }
      counts.throttled += 1;
      response.writeHead(400, { 'content-type': 'text/xml' });
      response.end(REFUSAL);
    };
    buffer(incoming).then(answer, () => response.destroy());
  });
  return { ...(await startListening(proxy)), counts };
}

const REFUSAL =
  '<ErrorResponse><Error><Type>Sender</Type><Code>Throttling</Code><Message>Rate exceeded</Message></Error><RequestId>1</RequestId></ErrorResponse>';
