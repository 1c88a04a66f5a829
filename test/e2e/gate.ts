import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { startListening, type LocalServer } from '../../infra/local/embedded/http-server.ts';
import { passOn } from './pass-on.ts';

/** A proxy in front of a service, which can be shut. */
export interface Gate extends LocalServer {
  /** Passes on this many requests and holds all later ones. Resolves once it holds one. */
  shutAfter(requests: number): Promise<void>;
  /** Passes on all requests sent after it has resolved. Earlier ones get no answer. */
  open(): Promise<void>;
}

/** Answered by the gate itself. */
const LAST = '/last-in-line';

export async function startGate(service: string): Promise<Gate> {
  let remaining = Infinity;
  let shut = Promise.withResolvers<undefined>();
  const proxy = createServer((incoming, response) => {
    if (incoming.url === LAST) {
      response.end();
      return;
    }
    const pass = (body: Buffer): void => {
      if (incoming.socket.destroyed) return;
      remaining -= 1;
      if (remaining < 0) shut.resolve(undefined);
      else passOn(service, incoming, body, response);
    };
    // A request that is cut in the middle of its body is dropped.
    buffer(incoming).then(pass, () => undefined);
  });
  const server = await startListening(proxy);
  return {
    ...server,
    shutAfter: async (requests) => {
      remaining = requests;
      shut = Promise.withResolvers();
      await shut.promise;
    },
    open: async () => {
      // A connection that a killed process has begun may still wait to be taken up. They are in
      // their order.
      await fetch(new URL(LAST, server.url));
      proxy.closeAllConnections();
      remaining = Infinity;
    },
  };
}
