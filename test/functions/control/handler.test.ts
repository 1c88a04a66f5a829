import type { Context } from 'aws-lambda';
import { expect, it, onTestFinished, vi } from 'vitest';
import { handler } from '../../../functions/control/handler.ts';
import { rejection, serve } from '../../support/local-server.ts';
import { stubEnvironment } from '../poll/environment.ts';

it('no request waits for ever when the table does not answer', async () => {
  const aws = await serve(() => undefined);
  stubEnvironment(aws.url);
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockReturnValue(true);
  }
  onTestFinished(() => {
    vi.restoreAllMocks();
  });
  const context = { awsRequestId: 'request-1', functionName: 'control' } as Context;
  const error = await rejection(handler({ command: 'quarantine-list' }, context));
  expect((error as Error).name).toBe('TimeoutError');
});
