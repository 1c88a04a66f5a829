import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { emptySummary } from '../../../../functions/core/run/run-summary.ts';
import type { ServerMessage } from '../../../../infra/local/console/protocol.ts';
import {
  startConsole,
  type RunningConsole,
} from '../../../../infra/local/console/start-console.ts';

let shared: RunningConsole;

beforeAll(async () => {
  shared = await startConsole({ port: 0, everySeconds: 5, isSimulated: true });
});

afterAll(() => shared.close());

type Headers = Readonly<Record<string, string>>;

/** `fetch` would set the headers of its own. */
function send(
  method: string,
  path: string,
  headers: Headers = {},
  body = '',
): Promise<{ status: number; text: string; headers: Headers }> {
  const { promise, resolve, reject } = Promise.withResolvers<{
    status: number;
    text: string;
    headers: Headers;
  }>();
  const sent = request(shared.url + path, { method, headers }, (answer) => {
    let text = '';
    answer.setEncoding('utf8').on('data', (part: string) => (text += part));
    answer.on('end', () => {
      resolve({ status: answer.statusCode ?? 0, text, headers: answer.headers as Headers });
    });
  });
  sent.on('error', reject);
  sent.end(body);
  return promise;
}

const OWN = { 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin' };

/** Reads messages of a stream until one is of the type. */
async function readStream(type: ServerMessage['type']): Promise<ServerMessage> {
  const answer = await fetch(`${shared.url}/api/stream`);
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const part = await reader?.read();
    text += part?.value ?? '';
    const messages = text
      .split('\n\n')
      .slice(0, -1)
      .map((each) => JSON.parse(each.replace(/^data: /, '')) as ServerMessage);
    const found = messages.find((message) => message.type === type);
    if (found || part?.done !== false) {
      await reader?.cancel();
      if (found) return found;
      throw new Error(`the stream ended without ${type}`);
    }
  }
}

describe('the server of the console', () => {
  it('serves a page that loads nothing from elsewhere, and may not be embedded', async () => {
    const page = await send('GET', '/');
    expect(page.text).toContain('<title>Sitecast console</title>');
    expect(page.text).not.toMatch(/(src|href)="https?:/);
    expect(page.headers['content-security-policy']).toContain(
      "default-src 'none'; script-src 'self'",
    );
    expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(page.headers['x-content-type-options']).toBe('nosniff');
    for (const path of ['/main.js', '/page.css']) {
      const { status, text } = await send('GET', path);
      expect([status, text.length > 1000]).toEqual([200, true]);
    }
  });

  it('accepts its own page, by both names of the loopback', async () => {
    const { port } = new URL(shared.url);
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`]) {
      const headers = { ...OWN, Host: host, Origin: `http://${host}` };
      expect((await send('POST', '/api/change', headers, '{}')).status).toBe(422);
    }
  });

  it.each([
    ['no JSON', '/api/fault', '{', 'The request is no JSON'],
    ['an unknown action', '/api/activity', '{"isRunning":"yes","rate":1}', 'isRunning is "yes"'],
    ['a change without a name', '/api/change', '{}', 'change is missing; allowed'],
    [
      'an unknown change',
      '/api/change',
      '{"change":"open door"}',
      'change is "open door"; allowed',
    ],
    ['an unknown fault', '/api/fault', '{"fault":"fire"}', 'fault is "fire"; allowed'],
    [
      'a change before the stack has started',
      '/api/change',
      '{"change":"create project"}',
      'The stack is starting',
    ],
    ['a command before that', '/api/control', '{"command":"status"}', 'The stack is starting'],
    ['a body that is too large', '/api/change', 'x'.repeat(100_001), 'at most 100000 bytes'],
  ])('says what is wrong with %s', async (_, path, body, message) => {
    const answer = await send('POST', path, OWN, body);
    expect(answer.status).toBe(422);
    expect((JSON.parse(answer.text) as { error: { message: string } }).error.message).toContain(
      message,
    );
  });

  it('serves the schemas of events and no other file', async () => {
    const { text } = await send('GET', '/schemas/floorplan.updated.json');
    expect(JSON.parse(text)).toHaveProperty('$id');
    for (const path of [
      '/schemas/..%2f..%2fREADME.md',
      '/schemas/no.such.json',
      '/schemas/x.json',
    ]) {
      expect((await send('GET', path)).status).toBe(404);
    }
  });

  it('tells a tab of the session, and of what runs and problems there are', async () => {
    const { monitor } = shared.session;
    monitor.runStarted({ number: 1, shard: 0 });
    monitor.runEnded(
      { number: 1, shard: 0 },
      { ...emptySummary(), pages: 1, entities: 3, feeds: 2 },
    );
    monitor.readLog(
      JSON.stringify({ level: 'WARN', message: 'A feed failed', error: { message: 'why' } }),
    );
    monitor.readLog(JSON.stringify({ _aws: {}, RequestsSent: 7 }));
    monitor.readLog('no JSON');
    const message = await readStream('session');
    expect(message).toMatchObject({
      session: {
        phase: 'starting',
        service: { isSimulated: true },
        flow: { runCount: 1, entityCount: 3, listCount: 2 },
        budget: { used: 7 },
        runs: [{ number: 1, outcome: 'completed' }],
        notes: [
          { place: 'table', tone: 'info' },
          { place: 'poller', tone: 'problem', text: 'A feed failed: why' },
        ],
      },
    });
  });

  it('keeps no more runs and notes than it shows, however long it runs', () => {
    const { monitor } = shared.session;
    for (let number = 2; number < 500; number += 1) {
      monitor.runStarted({ number, shard: 0 });
      monitor.runEnded({ number, shard: 0 }, `failed: ${number}`);
    }
    const { runs, notes } = monitor.view(0);
    expect([runs.length, notes.length]).toEqual([80, 40]);
  });

  it('tells of runs in a row that fail for one reason in one note, with the reason', async () => {
    const own = await startConsole({ port: 0, everySeconds: 5, isSimulated: true });
    const { monitor } = own.session;
    const end = (number: number, result: Parameters<typeof monitor.runEnded>[1]): void => {
      monitor.runStarted({ number, shard: 0 });
      monitor.runEnded({ number, shard: 0 }, result);
    };
    for (let number = 51; number <= 62; number += 1) end(number, 'failed: no token');
    end(63, emptySummary());
    end(64, 'failed: no token');
    const texts = monitor.view(0).notes.map(({ text }) => text);
    expect(texts.filter((text) => text.includes('failed'))).toEqual([
      'Runs 51–62 failed: no token',
      'Run 64 failed: no token',
    ]);
    await own.close();
  });

  it('kills at once during a run, else at the start of the next one', async () => {
    const own = await startConsole({ port: 0, everySeconds: 5, isSimulated: false });
    const { monitor } = own.session;
    const killFunction = vi.fn(() => Promise.resolve());
    monitor.attach({ killFunction, provisioned: { functions: [] }, baseUrl: '' } as never);
    await monitor.kill();
    expect(killFunction).not.toHaveBeenCalled();
    expect(monitor.view(0).isKillArmed).toBe(true);
    const run = { number: 1, shard: 0 };
    monitor.runStarted(run);
    expect(killFunction).toHaveBeenCalledTimes(1);
    monitor.runEnded(run, 'failed: exited');
    expect(monitor.view(0).runs[0]).toMatchObject({ outcome: 'killed', details: 'killed by you' });
    expect(monitor.view(0).notes[0]?.text).toContain('Nothing is lost');
    await own.close();
  });
});
