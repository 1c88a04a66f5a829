import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Posts a message to a receiver, as SNS does. @returns the HTTP status. */
export async function postMessage(receiver: Server, message: unknown): Promise<number> {
  const { port } = receiver.address() as AddressInfo;
  const body = typeof message === 'string' ? message : JSON.stringify(message);
  return (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body })).status;
}
