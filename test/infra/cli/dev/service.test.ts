import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, it } from 'vitest';
import { sendRequest } from '../../local/simulator/support.ts';

const MAIN = fileURLToPath(new URL('../../../../infra/cli/main.ts', import.meta.url));

/** Runs the command. It is killed with the test if it still runs then. */
function run(...args: string[]) {
  const child = spawn(process.execPath, [MAIN, 'service', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { out: '', error: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.error += text));
  const ended = once(child, 'close').then(([status]) => status as number | null);
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, output, ended };
}

/** Waits until the command says that it can be called. */
async function started(command: ReturnType<typeof run>) {
  const { output } = command;
  await expect
    .poll(() => output.out + output.error, { timeout: 20_000 })
    .toContain('How to call it');
  const find = (label: string) => new RegExp(`${label} +(\\S+)\n`).exec(output.out)?.[1] ?? '';
  return {
    baseUrl: find('baseUrl'),
    authUrl: find('authUrl'),
    adminUrl: find('adminUrl'),
    tokenFile: find('tokenFile'),
  };
}

describe('sitecast service', () => {
  it('prints where it can be called, and stops with status 0 on SIGTERM', async () => {
    const command = run('--port', '0', '--seed', '7');
    const { baseUrl, authUrl, adminUrl, tokenFile } = await started(command);
    const refreshToken = readFileSync(tokenFile, 'utf8');
    expect(statSync(tokenFile).mode & 0o777).toBe(0o600);
    expect(command.output.out).not.toContain(refreshToken);
    const body = { api_token: refreshToken };
    const exchange = await sendRequest(`${authUrl}/api_keys/jwt`, { method: 'POST', body });
    const { access_token: token } = JSON.parse(exchange.text) as { access_token: string };
    const headers = { authorization: `Bearer ${token}` };
    expect((await sendRequest(`${baseUrl}/api/v3/projects`, { headers })).status).toBe(200);
    expect((await sendRequest(`${adminUrl}/changes`)).text).toContain('rename floorplan');
    command.child.kill('SIGTERM');
    expect(await command.ended).toBe(0);
    expect(existsSync(tokenFile)).toBe(false);
    expect(command.output.error).toBe('');
  });

  it('refuses a port that was named and is taken', async () => {
    const { baseUrl } = await started(run('--port', '0'));
    const { ended, output } = run('--port', new URL(baseUrl).port, '--json');
    expect([await ended, JSON.parse(output.out)]).toMatchObject([1, { error: {} }]);
  });
});
