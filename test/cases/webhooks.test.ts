import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { HttpsEndpoint } from '../../functions/adapters/webhook/https-endpoint.ts';

it('A receiver takes 100 kB, answers 413 before it has read the body, and cuts the connection: the attempt shows its answer', async () => {
  const said = 'the limit is 100 kB';
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.pause();
      const head = `HTTP/1.1 413 Payload Too Large\r\ncontent-length: ${said.length}`;
      socket.write(`${head}\r\nconnection: close\r\n\r\n${said}`, () => socket.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const endpoint = new HttpsEndpoint({ url, allowLoopback: true, allowPrivateAddress: true });
  const body = 'x'.repeat(700_000);
  const attempts = [1, 2, 3, 4, 5].map(() => endpoint.post({ headers: {}, body }));
  for (const attempt of attempts) expect(await attempt).toEqual({ status: 413, text: said });
});
