import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** A request as a local server received it. */
export interface Received {
  readonly method: string;
  /** Path and query, as sent. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Answers one request. */
export type Answering = (
  response: ServerResponse,
  received: Received,
  request: IncomingMessage,
) => unknown;

/** Starts an HTTP server on a free port of 127.0.0.1; it is stopped when the test ends. */
export async function serve(answer: Answering): Promise<{
  url: string;
  received: Received[];
  sockets: Set<Socket>;
}> {
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { method = '', url = '', headers } = request;
      const seen = { method, url, headers, body };
      received.push(seen);
      return answer(response, seen, request);
    });
  });
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  );
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, received, sockets };
}

/** Answers with JSON. */
export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): ServerResponse {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  return response.end(JSON.stringify(body));
}

/** Answers with a good last page; without a `Date` unless the headers hold one. */
export function page(
  response: ServerResponse,
  entities: readonly unknown[] = [],
  headers: Record<string, string> = {},
): ServerResponse {
  response.sendDate = false;
  return json(response, 200, entities, {
    'X-Count': String(entities.length),
    'X-Has-More': 'false',
    ...headers,
  });
}

/** Answers with a status and JSON. */
export function answerWith(
  status: number,
  body: unknown = {},
  headers: Record<string, string> = {},
): Answering {
  return (response) => json(response, status, body, headers);
}

/** Answers each request in its own way, and all further ones like the last. */
export function inTurn(...answers: readonly Answering[]): Answering {
  let count = 0;
  return (...request) => answers[Math.min(count++, answers.length - 1)]?.(...request);
}

/** An address of 127.0.0.1 where nothing listens. */
export async function deadAddress(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

/** What a promise rejected with. Fails the test when it did not. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => {
      throw new Error(`expected a rejection, got ${JSON.stringify(value)}`);
    },
    (error: unknown) => error,
  );
}
