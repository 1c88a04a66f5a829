import type { lookup } from 'node:dns';
import { createServer as createTcpServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  HttpsEndpoint,
  USER_AGENT,
  type HttpsEndpointOptions,
} from '../../../../functions/adapters/webhook/https-endpoint.ts';
import { serve } from '../../../support/local-server.ts';

const REQUEST = { headers: { 'webhook-id': 'e1' }, body: '{"name":"Türme 🏗"}' };
const NO_TIME = 250;

function endpoint(url: string, options: Partial<HttpsEndpointOptions> = {}): HttpsEndpoint {
  const allowed = { allowPrivateAddress: true, allowLoopback: true };
  return new HttpsEndpoint({ url, ...allowed, timeoutMs: 5000, ...options });
}

/** Serves bytes, whatever is asked. */
async function serveRaw(answer: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => {
      answer(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Writes again and again until the connection is cut. */
function drip(socket: Socket, chunk: string, everyMs: number): void {
  const timer = setInterval(() => socket.write(chunk), everyMs);
  socket.on('close', () => {
    clearInterval(timer);
  });
}

const OK = 'HTTP/1.1 200 OK\r\n';

describe('an endpoint', () => {
  it('gets one POST with the headers, the bytes and who sends them', async () => {
    const { url, received } = await serve((response) => response.end('thanks'));
    const answer = await endpoint(`${url}/hook?a=1`).post(REQUEST);
    expect(answer).toEqual({ status: 200, text: '' });
    expect(received).toMatchObject([
      { method: 'POST', url: '/hook?a=1', body: REQUEST.body, headers: REQUEST.headers },
    ]);
    expect(received[0]?.headers).toMatchObject({
      'content-length': '22',
      'user-agent': USER_AGENT,
    });
    expect(USER_AGENT).toMatch(/^Sitecast\/./);
  });

  it('keeps its connection, and one that was closed meanwhile is no failure', async () => {
    const { url, sockets } = await serve((response) => response.end());
    const kept = endpoint(url);
    await kept.post(REQUEST);
    await kept.post(REQUEST);
    expect(sockets.size).toBe(1);
    for (const socket of sockets) socket.resetAndDestroy();
    expect(await kept.post(REQUEST)).toMatchObject({ status: 200 });
    expect(sockets.size).toBe(2);
  });

  it.each([302, 308])('is not left for another one by %i', async (status) => {
    const other = await serve((response) => response.end());
    const { url } = await serve((response) =>
      response.writeHead(status, { location: `${other.url}/hook?key=s3cret` }).end('Moved'),
    );
    const text = `Location: ${other.url}/hook Moved`;
    expect(await endpoint(url).post(REQUEST)).toEqual({ status, text });
    expect(other.received).toEqual([]);
  });

  it.each([
    [429, '120', 120_000],
    [503, '2', 2000],
    [500, '120', undefined],
    [200, '120', undefined],
  ])('that answers %i with Retry-After %s asks for a wait of %s ms', async (status, wait, ms) => {
    const { url } = await serve((response) =>
      response.writeHead(status, { 'retry-after': wait, 'x-ratelimit-reset': '9' }).end(),
    );
    expect((await endpoint(url).post(REQUEST)).retryAfterMs).toBe(ms);
  });

  it('that sends 100 MB is read for 4 kB, and cut off', async () => {
    let sent = 0;
    const { url } = await serve((response) => {
      response.statusCode = 500;
      const chunk = Buffer.alloc(65_536, 'a');
      const write = (): void => {
        while (sent < 100_000_000 && !response.destroyed) {
          sent += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', write);
        }
      };
      write();
    });
    const answer = await endpoint(url).post(REQUEST);
    expect(answer).toEqual({ status: 500, text: `${'a'.repeat(200)}…` });
    expect(sent).toBeLessThan(20_000_000);
  });
});

it('an answer that repeats a key or a signature is quoted without it', async () => {
  const sent = ['new key', 'old key'].map((text) => Buffer.alloc(32, text).toString('base64'));
  const { url } = await serve((response) => response.writeHead(401).end(sent.join(' or ')));
  const { text } = await endpoint(url).post(REQUEST);
  expect(text).toBe('[redacted] or [redacted]');
});

describe('no answer has its reason', () => {
  it.each<[string, (socket: Socket) => void, RegExp]>([
    ['headers too late', () => undefined, /^No whole answer within 0.25 seconds\.$/],
    [
      'headers that never end',
      (socket) => {
        socket.write(OK);
        drip(socket, 'x-more: 1\r\n', 20);
      },
      /^No whole answer within 0.25 seconds\.$/,
    ],
    [
      'headers too large',
      (socket) => socket.write(`${OK}x-large: ${'x'.repeat(100_000)}\r\n\r\n`),
      /^No answer: HPE_HEADER_OVERFLOW /,
    ],
    [
      'a reset in the body',
      (socket) => {
        socket.write(`${OK}content-length: 10\r\n\r\nabc`);
        setTimeout(() => socket.resetAndDestroy(), 20);
      },
      /^No answer: ECONNRESET /,
    ],
  ])('%s', async (_, answer, expected) => {
    const answered = await endpoint(await serveRaw(answer), { timeoutMs: NO_TIME }).post(REQUEST);
    expect(answered).toEqual({ text: expect.stringMatching(expected) as string });
  });
});

/** Resolves to one address after the other, each time the next one. */
function resolving(...addresses: string[]): typeof lookup {
  const left = [...addresses];
  return ((_host: string, _options: object, callback: (...answer: unknown[]) => void) => {
    const address = left.shift() ?? '';
    callback(null, [{ address, family: address.includes(':') ? 6 : 4 }]);
  }) as typeof lookup;
}

describe('an address', () => {
  it.each([
    ['https://10.1.2.3', 'No answer: 10.1.2.3 is a private address. Set allowPrivateAddress'],
    ['https://[::1]', 'No answer: ::1 is a loopback address.'],
    ['https://169.254.169.254', 'No answer: 169.254.169.254 is a metadata address.'],
    ['https://0.0.0.0', 'No answer: 0.0.0.0 is a reserved address.'],
    ['http://8.8.8.8', 'No answer: 8.8.8.8 is a public address.'],
  ])('of %s is refused', async (url, expected) => {
    const { text } = await endpoint(url, { allowPrivateAddress: false }).post(REQUEST);
    expect(text).toContain(expected);
  });

  it.each([
    ['https://169.254.169.254', 'metadata'],
    ['https://[fd00:ec2::254]', 'metadata'],
    // Lambda's own interface, with whatever the function may do.
    ['http://127.0.0.1:9001', 'loopback'],
    ['http://10.0.0.1', 'private'],
  ])('of %s is refused even if private ones are allowed', async (url, kind) => {
    const { text } = await endpoint(url, { allowLoopback: false }).post(REQUEST);
    expect(text).toContain(`is a ${kind} address`);
  });

  it('is judged at each connect, so that a name that moves (DNS rebinding) gains nothing', async () => {
    const { url, received } = await serve((response) =>
      response.writeHead(200, { connection: 'close' }).end(),
    );
    const resolve = resolving('127.0.0.1', '169.254.169.254');
    const moving = endpoint(url.replace('127.0.0.1', 'hook.example'), { resolve });
    expect(await moving.post(REQUEST)).toMatchObject({ status: 200 });
    expect(await moving.post(REQUEST)).toEqual({
      text: 'No answer: hook.example resolves to 169.254.169.254, which is a metadata address.',
    });
    expect(received).toHaveLength(1);
  });

  it('that is refused refuses the host, whatever its other addresses are', async () => {
    const resolve = ((
      _host: string,
      _options: object,
      callback: (...answer: unknown[]) => void,
    ) => {
      callback(
        null,
        ['8.8.8.8', '10.0.0.1'].map((address) => ({ address, family: 4 })),
      );
    }) as typeof lookup;
    const options = { allowPrivateAddress: false, resolve };
    const { text } = await endpoint('https://hook.example', options).post(REQUEST);
    expect(text).toContain('hook.example resolves to 10.0.0.1, which is a private address');
  });
});
