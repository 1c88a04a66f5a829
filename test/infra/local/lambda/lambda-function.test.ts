import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { LambdaFunction } from '../../../../infra/local/lambda/lambda-function.ts';

/** A function with this code. */
async function start(
  source: string,
  definition: { timeoutSeconds?: number; handler?: string } = {},
) {
  const codeDirectory = await mkdtemp(join(tmpdir(), 'sitecast-test-'));
  await writeFile(join(codeDirectory, 'index.mjs'), source);
  const logs: string[] = [];
  const started = new LambdaFunction(
    {
      name: 'poller',
      arn: 'arn:aws:lambda:us-east-1:000000000000:function:poller',
      handler: 'index.handler',
      codeDirectory,
      timeoutSeconds: 20,
      memoryMb: 256,
      logGroup: 'logs',
      environment: { FROM_TEMPLATE: 'yes' },
      ...definition,
    },
    { AWS_REGION: 'us-east-1' },
    (line) => logs.push(line),
  );
  onTestFinished(async () => {
    await started.kill();
    await rm(codeDirectory, { recursive: true });
  });
  return {
    invoke: (event: unknown = {}) => started.invoke(event),
    kill: () => started.kill(),
    logs,
  };
}

/** The pid of the process, unless it is to hang. */
const PID = `export const handler = (event) => {
  if (!event.hang) return process.pid;
  console.log('begun');
  return new Promise((resolve) => setTimeout(resolve, 60_000)); };`;

it('passes the event in and the result out, in a warm process', async () => {
  const { invoke } = await start('export const handler = async (event) => ({ got: event });');
  expect(await invoke({ a: [1] })).toEqual({ got: { a: [1] } });
  const nothing = await start('export const handler = async () => undefined;');
  expect(await nothing.invoke()).toBeUndefined();
  const pid = await start(PID);
  expect(await pid.invoke()).toBe(await pid.invoke());
});

it('gives the handler a context and an environment like those of Lambda', async () => {
  vi.stubEnv('SECRET_OF_THE_HOST', 'x');
  onTestFinished(() => void vi.unstubAllEnvs());
  const { invoke } = await start(`export const handler = async (_, context) => ({
    ...context, remaining: context.getRemainingTimeInMillis(), env: process.env });`);
  expect(await invoke()).toMatchObject({
    functionName: 'poller',
    memoryLimitInMB: '256',
    awsRequestId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    remaining: expect.any(Number) as number,
    env: { FROM_TEMPLATE: 'yes', AWS_REGION: 'us-east-1', AWS_LAMBDA_FUNCTION_NAME: 'poller' },
  });
  expect(await invoke()).not.toHaveProperty('env.SECRET_OF_THE_HOST');
});

it.each([
  ["throw new TypeError('broken settings');", {}, 'TypeError: broken settings'],
  [PID, { handler: 'other.handler' }, 'Cannot find module .*other'],
  [PID, { handler: 'index.other' }, 'index.other is undefined or not exported'],
  ["export const handler = () => { throw new RangeError('no'); };", {}, 'RangeError: no'],
  ['export const handler = () => process.exit(3);', {}, 'Runtime.ExitError: .*exit status 3'],
  [
    'export const handler = () => new Promise((resolve) => setTimeout(resolve, 60_000));',
    { timeoutSeconds: 1 },
    'Sandbox.Timedout: Task timed out after 1.00 seconds',
  ],
])('fails as Lambda does: %s %j', async (source, definition, message) => {
  const { invoke } = await start(source, definition);
  await expect(invoke()).rejects.toThrow(new RegExp(message));
});

it('is killed as by a crash, and the next invocation starts anew', async () => {
  const { invoke, kill, logs } = await start(PID);
  const pid = (await invoke()) as number;
  const cut = expect(invoke({ hang: true })).rejects.toThrow('Runtime.ExitError');
  await expect.poll(() => logs).toContain('begun');
  await kill();
  await cut;
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  expect(await invoke()).not.toBe(pid);
});

it('runs one invocation after the other', async () => {
  const { invoke } = await start(`let running = 0; export const handler = async () => {
    running += 1;
    await new Promise((resolve) => setTimeout(resolve, 20));
    return running--; };`);
  expect(await Promise.all([invoke(), invoke(), invoke()])).toEqual([1, 1, 1]);
});
