/** Runs the function's handler as often as its parent says, and tells it what each run took. */
import type { Context } from 'aws-lambda';
import { handler } from '../../../../functions/poll/handler.ts';
import { peakMb } from './peak-mb.ts';
import type { WorkerRun } from './run-worker.ts';

const NAME = 'poller';

const [runs, remainingMs] = JSON.parse(process.argv[2] ?? '') as [number, number];
for (let i = 0; i < runs; i += 1) {
  const end = performance.now() + remainingMs;
  const context = {
    awsRequestId: `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`,
    functionName: NAME,
    memoryLimitInMB: process.env['AWS_LAMBDA_FUNCTION_MEMORY_SIZE'],
    getRemainingTimeInMillis: () => Math.max(0, end - performance.now()),
  } as Context;
  const before = process.cpuUsage();
  const { polled } = await handler({}, context);
  const { user, system } = process.cpuUsage(before);
  const run: WorkerRun = { cpuMs: (user + system) / 1000, polled, peakMb: peakMb() };
  process.send?.(run);
}
process.send?.('done', () => process.exit());
