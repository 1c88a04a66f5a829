import type { Context } from 'aws-lambda';
import { describe, expect, onTestFinished, it, vi } from 'vitest';
import { json, rejection, serve } from '../../support/local-server.ts';
import { SESSION_TOKEN, stubEnvironment } from './environment.ts';

const context = {
  awsRequestId: 'request-1',
  functionName: 'poller',
  getRemainingTimeInMillis: () => 30_000,
} as Context;

/** Runs a freshly started function. @returns its outcome, and the logs and metrics it wrote. */
async function runWith(settle: (run: Promise<unknown>) => Promise<unknown>) {
  let written = '';
  for (const stream of [process.stdout, process.stderr]) {
    const write = vi.spyOn(stream, 'write').mockImplementation((chunk) => {
      written += String(chunk);
      return true;
    });
    onTestFinished(() => {
      write.mockRestore();
    });
  }
  vi.resetModules();
  const { handler } = await import('../../../functions/poll/handler.ts');
  const outcome = await settle(handler({}, context));
  return { outcome, written };
}

async function failingRun(): Promise<{ thrown: Error; written: string }> {
  const { outcome, written } = await runWith(rejection);
  expect(outcome).toBeInstanceOf(Error);
  return { thrown: outcome as Error, written };
}

/** A table with one shard, whose lease is held. */
const serveHeldLease = () =>
  serve((response, { headers }) => {
    if (headers['x-amz-target'] === 'DynamoDB_20120810.BatchGetItem') {
      json(response, 200, { Responses: { state: [] } });
      return;
    }
    json(response, 400, {
      __type: 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException',
      message: 'The conditional request failed',
    });
  });

it('an event that Lambda delivers twice, under one request id, is two runs to the lease', async () => {
  const aws = await serveHeldLease();
  stubEnvironment(aws.url);
  await runWith((run) => run);
  await runWith((run) => run);
  const owners = aws.received.flatMap(
    ({ body }) => /request-1 [0-9a-f-]{36}/.exec(body)?.[0] ?? [],
  );
  expect(owners[0]).toBeDefined();
  expect(new Set(owners).size).toBe(2);
});

describe('a run that fails', () => {
  it('keeps the token that AWS repeats out of error and log', async () => {
    const aws = await serve((response, { headers }) => {
      const signed = `x-amz-security-token:${String(headers['x-amz-security-token'])}`;
      json(response, 400, {
        __type: 'com.amazon.coral.service#InvalidSignatureException',
        message: `The signature does not match.\n\nThe Canonical String was\n'POST\n/\n\n${signed}\n\n'`,
      });
    });
    stubEnvironment(aws.url);
    const { thrown, written } = await failingRun();
    expect(aws.received[0]?.headers['x-amz-security-token']).toBe(SESSION_TOKEN);
    expect(thrown.name).toBe('InvalidSignatureException');
    expect(thrown.message).toContain('The signature does not match.');
    expect(thrown.stack).toMatch(/\n +at /);
    expect(Object.keys(thrown)).toEqual([]);
    expect(thrown).not.toHaveProperty('cause');
    expect(`${thrown.message}\n${String(thrown.stack)}`).not.toContain(SESSION_TOKEN);
    expect(written).toContain('Run failed');
    expect(written).not.toContain(SESSION_TOKEN);
  });

  it('for want of a setting names it, in one error and one log entry', async () => {
    stubEnvironment('http://127.0.0.1:1');
    vi.stubEnv('SITECAST_TABLE', undefined);
    const { thrown, written } = await failingRun();
    expect(thrown.name).toBe('SettingsInvalidError');
    expect(thrown.message).toContain('SITECAST_TABLE is missing');
    expect(written.trimEnd().split('\n')).toHaveLength(1);
    expect(JSON.parse(written)).toMatchObject({
      level: 'ERROR',
      error: { name: 'SettingsInvalidError', message: thrown.message },
    });
  });
});
