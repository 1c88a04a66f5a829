import { once } from 'node:events';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';

/** The host names that nobody but this machine has, with any port. */
const OWN_HOST = /^(127\.0\.0\.1|([\w-]+\.)*localhost)(:\d+)?$/i;

export interface LocalServer {
  readonly url: string;
  /** Stops it and closes all connections. */
  close(): Promise<void>;
}

/**
 * Lets a server listen on 127.0.0.1, and refuse the requests of other sites' pages.
 *
 * @param port preferred: one that is taken is replaced by a free one, as 0 is.
 */
export async function startListening(server: Server, port = 0): Promise<LocalServer> {
  guardServer(server);
  await listenOn(server, port).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return listenOn(server, 0);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      // Closing would wait for the connections that clients keep open between calls.
      server.closeAllConnections();
      await closed;
    },
  };
}

type App = Pick<Parameters<typeof createAdaptorServer>[0], 'fetch'>;

/** Serves an app of Hono as {@link startListening} does. */
export function serveApp({ fetch }: App, port?: number): Promise<LocalServer> {
  return startListening(createAdaptorServer({ fetch, hostname: '127.0.0.1' }) as Server, port);
}

async function listenOn(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
}

/**
 * Makes a server answer 403 to the requests of other sites' pages: those for a host name that leads
 * here (DNS rebinding), and those from another origin. No page can change these headers.
 */
function guardServer(server: Server): void {
  const listeners = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    const reason = foreignPart(request);
    if (reason === undefined) {
      for (const listener of listeners) listener.call(server, request, response);
    } else {
      response.writeHead(403, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ message: `Request refused: ${reason}` }));
    }
  });
}

function foreignPart({ headers }: IncomingMessage): string | undefined {
  const { host = '', origin } = headers;
  if (!OWN_HOST.test(host)) return `the host is "${host}"; allowed: 127.0.0.1, localhost`;
  if (origin !== undefined && origin !== `http://${host}`) {
    return `the origin is "${origin}"; allowed: http://${host}`;
  }
  return undefined;
}
