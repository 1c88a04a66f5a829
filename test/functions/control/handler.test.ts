import type { Context } from 'aws-lambda';
import { expect, it, onTestFinished, vi } from 'vitest';
import { handler } from '../../../functions/control/handler.ts';
import { json, rejection, serve } from '../../support/local-server.ts';
import { stubEnvironment } from '../poll/environment.ts';

it('no request waits for ever when AWS does not answer', async () => {
  const asked: string[] = [];
  const aws = await serve((response, { headers }) => {
    const service = /\/([a-z]+)\/aws4_request/.exec(headers.authorization ?? '')?.[1] ?? '';
    asked.push(service);
    // The table does not answer one of the two requests. For the other one the quarantine does not.
    if (service === 'dynamodb' && asked.length > 1) json(response, 200, {});
  });
  stubEnvironment(aws.url);
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockReturnValue(true);
  }
  onTestFinished(() => {
    vi.restoreAllMocks();
  });
  const context = { awsRequestId: 'request-1', functionName: 'control' } as Context;
  const list = () => rejection(handler({ command: 'quarantine-list' }, context));
  const errors = await Promise.all([list(), list()]);
  expect(errors.map((error) => (error as Error).name)).toEqual(['TimeoutError', 'TimeoutError']);
  expect([...new Set(asked)].toSorted()).toEqual(['dynamodb', 'sqs']);
  expect(asked.at(-1)).toBe('sqs');
});
