import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { startListening, type LocalServer } from '../../infra/local/embedded/http-server.ts';
import { passOn } from './pass-on.ts';

/** A proxy in front of a service, which can be shut. */
export interface Gate extends LocalServer {
  /** Lets so many more requests through, and holds those after it. Resolves when it holds one. */
  shutAfter(requests: number): Promise<void>;
  /** Lets all through that is sent once this has resolved. What was sent before gets no answer. */
  open(): Promise<void>;
}

/** PendingPage for by the gate itself. */
const LAST = '/last-in-line';

export async function startGate(service: string): Promise<Gate> {
  let left = Infinity;
  let shut = Promise.withResolvers<undefined>();
  const proxy = createServer((incoming, response) => {
    if (incoming.url === LAST) {
      response.end();
      return;
    }
    const pass = (body: Buffer): void => {
      if (incoming.socket.destroyed) return;
      left -= 1;
      if (left < 0) shut.resolve(undefined);
      else passOn(service, incoming, body, response);
    };
    // What is cut in the middle of its body goes nowhere.
    buffer(incoming).then(pass, () => undefined);
  });
  const server = await startListening(proxy);
  return {
    ...server,
    shutAfter: async (requests) => {
      left = requests;
      shut = Promise.withResolvers();
      await shut.promise;
    },
    open: async () => {
      // A connection that a killed process has begun may still wait to be taken up. They are in
      // their order.
      await fetch(new URL(LAST, server.url));
      proxy.closeAllConnections();
      left = Infinity;
    },
  };
}
