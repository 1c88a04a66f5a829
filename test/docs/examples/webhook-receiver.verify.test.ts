import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeWebhookReceiver } from '../../../docs/examples/webhook-receiver.ts';
import { parseSigningSecret } from '../../../functions/adapters/auth/signing-secret.ts';
import { HttpsEndpoint } from '../../../functions/adapters/webhook/https-endpoint.ts';
import { sign } from '../../../functions/deliver/sign.ts';
import { eventOf } from '../../support/samples.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OTHER = `whsec_${Buffer.alloc(32, 'o').toString('base64')}`;
const EVENT = eventOf('f1');
const BODY = JSON.stringify(EVENT);

interface Receiver {
  readonly url: string;
  readonly handled: string[];
}

async function startTypeScript(): Promise<Receiver> {
  const handled: string[] = [];
  const server = makeWebhookReceiver(SECRET, (event) => {
    handled.push((event as { id: string }).id);
    return Promise.resolve();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, handled };
}

async function startPython(): Promise<Receiver> {
  const child = spawn('python3', ['docs/examples/webhook_receiver.py'], {
    env: { ...process.env, WEBHOOK_SECRET: SECRET, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill());
  const lines = createInterface(child.stdout);
  const [line] = (await once(lines, 'line')) as [string];
  const port = /^Listening on port (\d+)$/.exec(line)?.[1];
  const handled: string[] = [];
  lines.on('line', (line) => handled.push(line.split(' ')[0] ?? ''));
  return { url: `http://127.0.0.1:${port}`, handled };
}

const has = (command: string, ...args: string[]) => spawnSync(command, args).status === 0;

it.each([
  ['TypeScript', process.execPath, 'docs/examples/webhook-receiver.ts'],
  ['Python', 'python3', 'docs/examples/webhook_receiver.py'],
])('the receiver in %s says that its secret is missing, or none', (_, program, file) => {
  for (const WEBHOOK_SECRET of [undefined, 'whsec_', `${SECRET}a`]) {
    const env = { PATH: process.env['PATH'], ...(WEBHOOK_SECRET && { WEBHOOK_SECRET }) };
    const { stderr } = spawnSync(program, [file], { env, encoding: 'utf8', timeout: 30_000 });
    expect(stderr).toBe('WEBHOOK_SECRET must be the secret of the webhook: whsec_…\n');
  }
});

/** Posts with headers that nobody signs so. */
const postHeaders = async ({ url }: Receiver, odd: Readonly<Record<string, string>>) => {
  const now = String(Math.floor(Date.now() / 1000));
  const headers = {
    'webhook-id': '1',
    'webhook-timestamp': now,
    'webhook-signature': 'v1,',
    ...odd,
  };
  return (await fetch(url, { method: 'POST', body: BODY, headers })).status;
};

const post = async (
  { url }: Receiver,
  secrets: readonly string[],
  body = BODY,
  now = Date.now(),
) => {
  const keys = secrets.map((secret) => parseSigningSecret(secret) ?? new Uint8Array());
  const endpoint = new HttpsEndpoint({ url, allowPrivateAddress: true, allowLoopback: true });
  const headers = sign({ id: EVENT.id, body: BODY }, keys, now);
  return (await endpoint.post({ headers, body })).status;
};

describe.each([
  ['TypeScript', startTypeScript, true],
  ['Python', startPython, has('python3', '--version')],
])('the receiver in %s', (_, start, canRun) => {
  it.skipIf(!canRun)(
    'takes what we send, also while the secret rotates, and nothing else',
    async () => {
      const receiver = await start();
      expect(await post(receiver, [SECRET])).toBe(204);
      expect(await post(receiver, [OTHER, SECRET])).toBe(204);
      expect(await post(receiver, [OTHER])).toBe(401);
      for (const odd of ['²', '12é', '9'.repeat(400)]) {
        expect(await postHeaders(receiver, { 'webhook-timestamp': odd })).toBe(401);
        expect(await postHeaders(receiver, { 'webhook-signature': `v1,${odd}` })).toBe(401);
      }
      expect(await post(receiver, [SECRET], `${BODY} `)).toBe(401);
      expect(await post(receiver, [SECRET], BODY, Date.now() - 600_000)).toBe(401);
      await expect.poll(() => receiver.handled).toEqual([EVENT.id, EVENT.id]);
    },
  );
});

it.skipIf(!has('python3', '--version'))(
  'the receiver in Python answers what it cannot read or handle, and goes on',
  async () => {
    const receiver = await startPython();
    const now = Date.now();
    const keys = [parseSigningSecret(SECRET) ?? new Uint8Array()];
    const body = 'no JSON';
    const headers = sign({ id: EVENT.id, body }, keys, now);
    const answer = await fetch(receiver.url, { method: 'POST', headers, body });
    expect(answer.status).toBe(500);
    for (const length of ['many', '-1']) {
      const socket = connect(Number(new URL(receiver.url).port), '127.0.0.1');
      socket.end(`POST / HTTP/1.1\r\ncontent-length: ${length}\r\n\r\n`);
      expect(await text(socket)).toContain(' 411 ');
    }
    expect(await post(receiver, [SECRET])).toBe(204);
  },
);

it.skipIf(!has('go', 'version'))(
  'with Go installed: the receiver in Go compiles, and is formatted as Go is',
  () => {
    const file = 'docs/examples/webhook_receiver.go';
    const { status, stderr } = spawnSync('go', ['vet', file]);
    expect([status, stderr.toString()]).toEqual([0, '']);
    expect(spawnSync('gofmt', ['-l', file]).stdout.toString()).toBe('');
  },
  120_000,
);
