import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { guardServer } from './guard-server.ts';

/** A server that listens on 127.0.0.1. */
export interface LocalServer {
  readonly url: string;
  /** Stops it and closes all connections. */
  close(): Promise<void>;
}

/**
 * Listens on a port, or on any free one if the port is taken.
 *
 * @param port 0: any free port.
 */
export async function listenPreferably<T>(
  port: number,
  listen: (port: number) => Promise<T>,
): Promise<T> {
  try {
    return await listen(port);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return listen(0);
  }
}

/**
 * Lets a server listen on 127.0.0.1, and refuse the requests of other sites' pages.
 *
 * @param port 0: any free port.
 * @throws a system error with code `EADDRINUSE` when the port is taken.
 */
export async function startListening(server: Server, port = 0): Promise<LocalServer> {
  guardServer(server);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
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
