import { createServer } from 'node:http';
import { expect, it, vi } from 'vitest';
import { startListening } from '../../infra/local/embedded/http-server.ts';
import { filesLeftBy, startDev } from '../support/dev-process.ts';
import { startCli } from '../support/run-cli.ts';

it("The shell names a company's proxy, which does not lead to this machine: stack, console and commands need none", async (context) => {
  const proxied: (string | undefined)[] = [];
  const server = createServer((asked, response) => {
    proxied.push(asked.url);
    response.writeHead(503).end();
  });
  server.on('connect', ({ url }, socket) => {
    proxied.push(url);
    socket.destroy();
  });
  const proxy = await startListening(server);
  context.onTestFinished(() => proxy.close());
  const variables = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url };
  const dev = await startDev(context, [], variables);
  await vi.waitUntil(() => dev.stdout.includes('run 1: '), { timeout: 120_000 });
  const [, address = ''] = /^Console: (http:\S+)/.exec(dev.stdout) ?? [];
  expect((await fetch(new URL('/api/projects', address))).status).toBe(200);
  for (const command of [
    ['status', '--local'],
    ['trigger', 'project.created'],
  ]) {
    expect(await startCli(command, { env: dev.env }).ended).toMatchObject({ code: 0 });
  }
  expect(proxied).toEqual([]);
});

it('The events are piped into head, which ends early: the program ends, and leaves nothing', async (context) => {
  const dev = await startDev(context, ['--headless']);
  dev.child.stdout.destroy();
  expect(await dev.ended).toBe(0);
  expect(dev.stderr).toBe('');
  expect(await filesLeftBy(dev)).toEqual([]);
});
