/** Runs the function's handler as often as its parent says, and tells it what each run took. */
import { readFileSync } from 'node:fs';
import type { Context } from 'aws-lambda';
import { handler } from '../../../../functions/poll/handler.ts';
import type { WorkerRun } from './run-worker.ts';

const NAME = 'poller';

/** The largest resident set that this process has had, in MB. */
function peakMb(): number {
  try {
    const status = readFileSync('/proc/self/status', 'utf8');
    // Unlike `maxRSS` it knows nothing of the process that this one was forked from.
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
  } catch {
    return process.resourceUsage().maxRSS / 1024;
  }
}

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
