import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { FunctionDefinition } from '../../../../infra/local/lambda/lambda-host.ts';
import { FunctionError, LambdaHost } from '../../../../infra/local/lambda/lambda-host.ts';

let directory: string;
let logs: string[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sitecast-test-'));
  logs = [];
});

afterEach(() => rm(directory, { recursive: true }));

async function hostOf(
  source: string,
  definition: Partial<FunctionDefinition> = {},
): Promise<LambdaHost> {
  await writeFile(join(directory, 'index.mjs'), source);
  const host = new LambdaHost(
    {
      name: 'poller',
      arn: 'arn:aws:lambda:us-east-1:000000000000:function:poller',
      runtime: 'nodejs24.x',
      handler: 'index.handler',
      codeDirectory: directory,
      timeoutSeconds: 20,
      memoryMb: 256,
      logGroup: '/aws/lambda/poller',
      environment: { FROM_TEMPLATE: 'yes' },
      ...definition,
    },
    { sdkEnvironment: { AWS_REGION: 'us-east-1' }, onLog: (line) => logs.push(line) },
  );
  onTestFinished(() => host.kill());
  return host;
}

/** The pid of the process that answered. */
const PID = 'export const handler = async () => process.pid;';

describe('LambdaHost', () => {
  it('lets the function trust the private authority that this process trusts', async () => {
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }]);
    const server = createServer({ cert, key }, (_, response) => response.end('reached'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const file = join(directory, 'authority.pem');
    await writeFile(file, cert);
    const { port } = server.address() as AddressInfo;
    const call = `await (await fetch('https://localhost:${port}')).text()`;
    const source = `export const handler = async () => ${call};`;
    await expect((await hostOf(source)).invoke({})).rejects.toThrow('fetch failed');
    vi.stubEnv('NODE_EXTRA_CA_CERTS', file);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await (await hostOf(source)).invoke({})).toBe('reached');
  });

  it('passes the event in and the result out', async () => {
    const host = await hostOf('export const handler = async (event) => ({ got: event });');
    expect(await host.invoke({ a: [1] })).toEqual({ got: { a: [1] } });
  });

  it('answers with nothing when the handler returns nothing', async () => {
    const host = await hostOf('export const handler = async () => undefined;');
    expect(await host.invoke({})).toBeUndefined();
  });

  it('keeps the process warm from one invocation to the next', async () => {
    const host = await hostOf(PID);
    expect(await host.invoke({})).toBe(await host.invoke({}));
  });

  it('gives the handler a context like that of Lambda', async () => {
    const host = await hostOf(`export const handler = async (_, context) => ({
      ...context, remaining: context.getRemainingTimeInMillis() });`);
    const first = await host.invoke({});
    expect(first).toMatchObject({
      functionName: 'poller',
      functionVersion: '$LATEST',
      invokedFunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:poller',
      memoryLimitInMB: '256',
      logGroupName: '/aws/lambda/poller',
      awsRequestId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    });
    const { remaining } = first as { remaining: number };
    expect(remaining).toBeGreaterThan(0);
    expect(remaining).toBeLessThanOrEqual(20_000);
  });

  it('shows the process nothing of the environment of its host but certificates', async () => {
    vi.stubEnv('SECRET_OF_THE_HOST', 'x');
    onTestFinished(() => void vi.unstubAllEnvs());
    const host = await hostOf('export const handler = async () => ({ ...process.env });');
    const environment = (await host.invoke({})) as Record<string, string>;
    expect(environment).toMatchObject({
      FROM_TEMPLATE: 'yes',
      AWS_REGION: 'us-east-1',
      AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
      AWS_LAMBDA_FUNCTION_NAME: 'poller',
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '256',
      LAMBDA_TASK_ROOT: directory,
      _HANDLER: 'index.handler',
    });
    const foreign = Object.keys(environment).filter(
      (name) =>
        !/^(NODE_EXTRA_CA_CERTS$|NODE_USE_SYSTEM_CA$|AWS_|FROM_TEMPLATE$|LAMBDA_TASK_ROOT$|LOCAL_FUNCTION_ARN$|TZ$|_HANDLER$)/.test(
          name,
        ),
    );
    expect(foreign).toEqual([]);
  });

  it('reports the error that the handler threw, and keeps the process', async () => {
    const host = await hostOf(`export const handler = async (event) => {
      if (!event.fail) return process.pid;
      throw Object.assign(new Error('no token'), { name: 'RefreshTokenRejectedError' }); };`);
    const pid = await host.invoke({});
    const failure: unknown = await host.invoke({ fail: true }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(FunctionError);
    expect(failure).toMatchObject({
      errorType: 'RefreshTokenRejectedError',
      message: 'RefreshTokenRejectedError: no token',
      trace: expect.arrayContaining([expect.stringContaining('index.mjs')]) as string[],
    });
    expect(await host.invoke({})).toBe(pid);
  });

  it('kills an invocation when its time is up, and starts anew', async () => {
    const source = `export const handler = (event) =>
      event.hang ? new Promise((resolve) => setTimeout(resolve, 60_000)) : process.pid;`;
    const host = await hostOf(source, { timeoutSeconds: 1 });
    const pid = await host.invoke({});
    await expect(host.invoke({ hang: true })).rejects.toMatchObject({
      errorType: 'Sandbox.Timedout',
      message: 'Sandbox.Timedout: Task timed out after 1.00 seconds',
    });
    expect(isRunning(pid as number)).toBe(false);
    expect(await host.invoke({})).not.toBe(pid);
  });

  it('reports a process that exits, with its last output', async () => {
    const host = await hostOf(`export const handler = () => {
      console.error('last words'); process.exit(3); };`);
    await expect(host.invoke({})).rejects.toMatchObject({
      message: 'Runtime.ExitError: Runtime exited with error: exit status 3',
    });
    expect(logs).toEqual(['last words']);
  });

  it('kills a running invocation as a crash would, and the next one starts anew', async () => {
    const host = await hostOf(`export const handler = (event) => {
      if (!event.hang) return process.pid;
      console.log('begun');
      return new Promise((resolve) => setTimeout(resolve, 60_000)); };`);
    const pid = await host.invoke({});
    const cut = host.invoke({ hang: true });
    cut.catch(() => undefined);
    await vi.waitFor(() => {
      expect(logs).toContain('begun');
    });
    await host.kill();
    await expect(cut).rejects.toThrow(
      'Runtime.ExitError: Runtime exited with error: signal: SIGKILL',
    );
    expect(isRunning(pid as number)).toBe(false);
    expect(await host.invoke({})).not.toBe(pid);
  });

  it('runs one invocation at a time, as reserved concurrency 1 does', async () => {
    const host = await hostOf(PID);
    const first = host.invoke({});
    await expect(host.invoke({})).rejects.toMatchObject({ name: 'TooManyRequestsException' });
    await first;
    expect(await host.invoke({})).toBe(await first);
  });

  it('hands over all that an invocation logs before it answers', async () => {
    const host = await hostOf(`export const handler = async () => {
      for (let line = 0; line < 2000; line++) console.log('out ' + line);
      console.error('err');
      process.stdout.write('no line break'); };`);
    await host.invoke({});
    expect(logs).toHaveLength(2002);
    expect(logs).toContain('err');
    expect(logs).toContain('out 1999');
    expect(logs).toContain('no line break');
  });

  it('lets the host decide what Ctrl-C means', async () => {
    const host = await hostOf(`export const handler = async () => {
      process.kill(process.pid, 'SIGINT');
      await new Promise(setImmediate);
      return 'alive'; };`);
    expect(await host.invoke({})).toBe('alive');
  });

  it.each([
    ['other.handler', 'Runtime.ImportModuleError', "Cannot find module 'other'"],
    ['index.other', 'Runtime.HandlerNotFound', 'index.other is undefined or not exported'],
  ])('names the handler %s that it cannot find', async (handler, errorType, message) => {
    const host = await hostOf(PID, { handler });
    await expect(host.invoke({})).rejects.toMatchObject({
      errorType,
      message: expect.stringContaining(message) as string,
    });
  });

  it('reports code that fails while it is loaded', async () => {
    const host = await hostOf("throw new TypeError('broken settings');");
    await expect(host.invoke({})).rejects.toThrow('TypeError: broken settings');
  });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
