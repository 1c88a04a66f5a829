import { createServer } from 'node:http';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { startListening } from '../../infra/local/embedded/http-server.ts';
import { startGate } from './gate.ts';

it('an opened gate drops all requests sent before, accepted or not', async () => {
  const received: unknown[] = [];
  const service = await startListening(
    createServer((incoming, response) => {
      received.push(incoming.url);
      response.end();
    }),
  );
  onTestFinished(() => service.close());
  const gate = await startGate(service.url);
  onTestFinished(() => gate.close());
  void gate.shutAfter(0);
  const port = Number(new URL(gate.url).port);
  const early = connect(port, '127.0.0.1').on('error', () => undefined);
  early.write('GET /early HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await gate.open();
  await fetch(`${gate.url}/late`);
  expect(received).toEqual(['/late']);
});
