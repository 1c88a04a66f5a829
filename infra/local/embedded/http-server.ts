import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that listens on 127.0.0.1. */
export interface LocalServer {
  /** Its base URL. */
  readonly url: string;
  /** Stops it and cuts what is still connected. */
  close(): Promise<void>;
}

/** Lets a server listen on any free port of 127.0.0.1. */
export async function listen(server: Server): Promise<LocalServer> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => {
          if (error) reject(error);
          else resolve();
        });
        // Clients keep connections open between calls, and closing waits for them.
        server.closeAllConnections();
      }),
  };
}
