import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer as createHttpServer, request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { CloudEvent } from 'cloudevents';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, vi } from 'vitest';
import { parseChangeEvent } from '../../../../functions/core/contract/index.ts';
import { startListening } from '../../../../infra/local/embedded/http-server.ts';
import { startSimulator } from '../../../../infra/local/simulator/simulator.ts';
import {
  descendantsOf,
  filesLeftBy,
  isRunning,
  startDev,
  writeToken,
} from '../../../support/dev-process.ts';
import { committedSchemas, whyAgainstSchema } from '../../../support/event-schemas.ts';
import { startCli } from '../../../support/run-cli.ts';

const PATIENCE = { timeout: 180_000 };

// Concurrent, since they wait more than they work.
describe.concurrent('sitecast dev', PATIENCE, () => {
  it('prints one event of the contract per line as JSON and all else on standard error, until Ctrl-C', async (context) => {
    const command = await startDev(context, ['--headless', '--every', '1', '--json']);
    await vi.waitUntil(() => command.stderr.includes('run 3: ') && command.stdout, PATIENCE);
    const status = await startCli(['status', '--local', '--json'], { env: command.env }).ended;
    expect(JSON.parse(status.stdout)).toMatchObject({ command: 'status', shards: 1 });
    expect((await startCli(['trigger', 'project.created'], { env: command.env }).ended).code).toBe(
      0,
    );
    // The poller and the control function.
    const children = descendantsOf(command.child);
    expect(children).toHaveLength(2);
    command.child.kill('SIGINT');
    // A terminal and npm both pass Ctrl-C on. Two of the same kind at once may arrive as one.
    command.child.kill('SIGTERM');
    expect(await command.ended).toBe(0);
    expect(children.filter(isRunning)).toEqual([]);
    expect(await filesLeftBy(command)).toEqual([]);
    expect(command.stdout).toMatch(/\n$/);
    const lines = command.stdout.trimEnd().split('\n');
    const schemas = committedSchemas();
    for (const line of lines) {
      expect(new CloudEvent(JSON.parse(line) as Partial<CloudEvent>).validate()).toBe(true);
      expect(whyAgainstSchema(schemas, parseChangeEvent(line))).toBeUndefined();
    }
    expect(command.stderr).toMatch(/ Secrets Manager +http:\/\/127\.0\.0\.1:/);
    // Nothing that the runs published was left in the queue.
    const published = [...command.stderr.matchAll(/^run \d+: (\d+) events? /gm)];
    const total = published.reduce((sum, [, count]) => sum + Number(count), 0);
    expect(lines).toHaveLength(total);
    expect(command.stderr).toMatch(new RegExp(`pages read, ${total} events\\n`));
  });

  it('serves its console while the stack starts, posts each event to a webhook, signed with the secret that it prints', async (context) => {
    const posts: [body: string, headers: Record<string, string>][] = [];
    const server = createHttpServer((request, response) => {
      void text(request).then((body) => {
        posts.push([body, request.headers as Record<string, string>]);
        response.writeHead(posts.length === 1 ? 503 : 200).end();
      });
    });
    const listening = await startListening(server);
    context.onTestFinished(() => listening.close());
    const hook = `${listening.url.replace('127.0.0.1', 'localhost')}/hook`;
    const service = await startSimulator({ activity: false });
    context.onTestFinished(() => service.close());
    const tokenFile = await writeToken(context, service.refreshToken);
    const flags = ['--service', service.baseUrl, '--auth', service.authUrl, '--every', '2'];
    const command = await startDev(context, [
      ...flags,
      '--token-file',
      tokenFile,
      '--webhook',
      hook,
    ]);
    // Its address is printed first of all.
    const [, url = ''] = await vi.waitUntil(
      () => /^Console: (http:\S+)\nStarting: /.exec(command.stdout),
      PATIENCE,
    );
    expect(await (await fetch(url)).text()).toContain('<title>Sitecast console</title>');
    await vi.waitUntil(() => command.stdout.includes(': baseline of '), PATIENCE);
    const problems = command.stderr;
    const changed = service.world.projects.all().slice(0, 2);
    for (const { id } of changed) service.world.projects.update(id, { name: `Tower ${id}` });
    const again = /^→ webhook-1 {2}\S+ \S+ {2}delivered 200 in \d+ ms, attempt 2$/m;
    await vi.waitUntil(() => again.test(command.stdout), PATIENCE);
    expect(command.stdout).toMatch(new RegExp(` webhook-1 +${hook}\n`));
    expect(command.stdout).toMatch(/^→ webhook-1 .* 503 in \d+ ms, next in [56] s/m);
    const [, secret = ''] = / webhook-1 secret +(whsec_\w{32})/.exec(command.stdout) ?? [];
    const webhook = new Webhook(secret);
    for (const [body, headers] of posts) webhook.verify(body, headers);
    const subjects = posts.map(([body]) => parseChangeEvent(body).subject);
    expect(subjects).toHaveLength(changed.length + 1);
    expect([...new Set(subjects)].sort()).toEqual(
      changed.map(({ id }) => `/projects/${id}`).sort(),
    );
    const children = descendantsOf(command.child);
    command.child.kill('SIGINT');
    expect(await command.ended).toBe(0);
    expect(children.filter(isRunning)).toEqual([]);
    expect(command.stderr).toBe(problems);
    expect(await filesLeftBy(command)).toEqual([]);
  });

  it('refuses other sites on each of its ports', async (context) => {
    const command = await startDev(context);
    await vi.waitUntil(() => command.stdout.includes('run 1: '), PATIENCE);
    const [, url = ''] = /^Console: (http:\S+)/.exec(command.stdout) ?? [];
    expect((await fetch(new URL('/api/projects', url))).status).toBe(200);
    const noted = await readFile(join(command.temporary, 'ports'), 'utf8');
    const ports = noted.trimEnd().split('\n');
    // The console, the simulated service, DynamoDB, messaging, Secrets Manager and Lambda.
    expect(ports.length).toBeGreaterThanOrEqual(6);
    const foreign = [
      { Host: 'rebound.example' },
      { Origin: 'https://elsewhere.example' },
      { Origin: 'null' },
    ];
    for (const port of ports) {
      expect([port, await statusOf(port, {})]).not.toEqual([port, 403]);
      for (const headers of foreign) {
        expect([port, headers, await statusOf(port, headers)]).toEqual([port, headers, 403]);
      }
    }
    command.child.kill('SIGINT');
    expect(await command.ended).toBe(0);
  });

  it('stops on Ctrl-C while it starts, and leaves no file behind', async (context) => {
    const command = await startDev(context);
    await vi.waitUntil(() => command.stdout.includes('Starting: '), PATIENCE);
    command.child.kill('SIGINT');
    expect(await command.ended).toBe(0);
    expect(await filesLeftBy(command)).toEqual([]);
    expect(command.stdout).toMatch(/^Console: [^\n]*\nStarting: [^\n]*\n$/);
    expect(command.stderr).toBe('');
  });

  it('explains an invalid flag and ends with status 2', async (context) => {
    const command = await startDev(context, ['--seconds', 'ten']);
    expect(await command.ended).toBe(2);
    expect(command.stderr).toBe('--seconds is "ten"; allowed: a whole number from 1 to 86400\n');
    expect(command.stdout).toBe('');
  });

  it('does without ports that are taken, and says why no page is read, and ends with status 1', async (context) => {
    const blocker = createServer();
    // Another test or stack may have the port already.
    const taking = () => once(blocker.listen(4012, '127.0.0.1'), 'listening');
    await vi.waitFor(taking, { timeout: 30_000 }).catch(() => undefined);
    context.onTestFinished(() => void blocker.close());
    const tokenFile = await writeToken(context, 'tok-3f9a');
    const service = ['--service', 'http://127.0.0.1:9', '--auth', 'http://127.0.0.1:9'];
    const flags = ['--token-file', tokenFile, '--seconds', '2', '--every', '1', '--json'];
    const command = await startDev(context, [...service, ...flags]);
    expect([await command.ended, command.stdout]).toEqual([1, '']);
    expect(command.stderr).not.toMatch(/127\.0\.0\.1:4012\b/);
    expect(command.stderr).toMatch(/ ports taken .*\b4012\b/);
    // Not once for each run: when it happens first, and as the cause at the end.
    expect(command.stderr.match(/got no answer/g)).toHaveLength(2);
    expect(command.stderr).toMatch(
      /No page was read from http:\/\/127\.0\.0\.1:9: .*got no answer/s,
    );
  });
});

/** The status of an answer. `fetch` would set the headers of its own. */
function statusOf(port: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const sent = request(`http://127.0.0.1:${port}/`, { headers }, (answer) => {
    answer.resume();
    resolve(answer.statusCode ?? 0);
  });
  sent.on('error', reject).end();
  return promise;
}
