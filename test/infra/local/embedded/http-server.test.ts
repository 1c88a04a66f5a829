import { createServer, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startListening, type LocalServer } from '../../../../infra/local/embedded/http-server.ts';

let server: LocalServer;
let port: string;

beforeAll(async () => {
  server = await startListening(createServer((_, response) => response.end('own')));
  ({ port } = new URL(server.url));
});

afterAll(() => server.close());

/** `:port` in a header stands for the server's own. `fetch` would set the headers of its own. */
function send(headers: Readonly<Record<string, string>>): Promise<[number, string]> {
  const filled = Object.entries(headers).map(([name, value]) => [
    name,
    value.replace(':port', `:${port}`),
  ]);
  const options = { method: 'POST', headers: Object.fromEntries(filled) as typeof headers };
  const { promise, resolve, reject } = Promise.withResolvers<[number, string]>();
  const sent = request(server.url, options, (answer) => {
    void text(answer).then((body) => {
      resolve([answer.statusCode ?? 0, body]);
    });
  });
  sent.on('error', reject).end('a body that nobody reads');
  return promise;
}

it.each([
  [{ Host: 'rebound.example:port' }, 'the host is "rebound.example:'],
  [{ Host: 'localhost.rebound.example' }, 'the host is "localhost.rebound.example"'],
  [{ Host: 'rebound-localhost' }, 'the host is "rebound-localhost"'],
  [{ Origin: 'https://elsewhere.example' }, 'the origin is "https://elsewhere.example"'],
  [{ Origin: 'http://127.0.0.1:1' }, 'the origin is "http://127.0.0.1:1"'],
  [{ Origin: 'http://localhost:port' }, 'the origin is "http://localhost:'],
])('refuses %j', async (headers, reason) => {
  const [status, body] = await send(headers);
  const { message } = JSON.parse(body) as { message: string };
  expect([status, message]).toEqual([403, expect.stringContaining(reason)]);
});

it.each([
  {},
  { Host: 'localhost:port' },
  { Host: 'LOCALHOST' },
  { Host: 'sqs.us-east-1.localhost:port' },
  { Origin: 'http://127.0.0.1:port' },
  { Host: 'localhost:port', Origin: 'http://localhost:port' },
])('serves %j', async (headers) => {
  expect(await send(headers)).toEqual([200, 'own']);
});
