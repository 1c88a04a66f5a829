import { request, type IncomingMessage, type ServerResponse } from 'node:http';

/** Sends a request on to another server as it is, and its answer back. */
export function passOn(
  origin: string,
  { method, url = '/', headers }: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): void {
  const outgoing = request(new URL(url, origin), { method, headers });
  outgoing.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  outgoing.on('error', () => response.destroy());
  outgoing.end(body);
}
