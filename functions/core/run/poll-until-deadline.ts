import type { WithJob } from '../jobs/list-job.ts';
import { FIRST_SHARE, hasJob } from '../model/job.ts';
import { isFatal } from './handle-failure.ts';
import type { RunContext } from './run-context.ts';
import { sweep } from './sweep.ts';

/**
 * Polls once, or every {@link RunOptions.pollEveryMs} until no time remains or something fails.
 *
 * Jobs follow the first sweep, which ends at two thirds of the time while there are any. A
 * reconcile that the run before cut off comes first, and may take two thirds itself.
 *
 * @returns the errors that the run fails with.
 */
export async function pollUntilDeadline(run: RunContext): Promise<readonly unknown[]> {
  const { ports, options, registry, summary, time } = run;
  const { everyMs, pollEveryMs = Infinity } = options;
  const { clock } = ports;
  const startedAt = clock.now();
  const firstEnd = startedAt + FIRST_SHARE * time.leftMs();
  const jobs = registry.all().filter(hasJob);
  const cutOff = jobs.filter(({ job }) => job.isCutOff);
  let waiting = jobs.filter(({ job }) => !job.isCutOff);
  const polled = new Set<string>();
  const failures = [...(await workOnUntil(cutOff, firstEnd, run))];
  while (!failures.some(isFatal)) {
    const sweptAt = clock.now();
    const isLast = time.leftMs() <= pollEveryMs;
    const turnMs = isLast ? Math.max(1000, startedAt + everyMs - sweptAt) : pollEveryMs;
    const end = waiting.length > 0 && cutOff.length === 0 ? firstEnd : time.endsAt;
    const swept = await time.until(end, (signal) => sweep(turnMs, run, signal));
    for (const id of swept.polled) polled.add(id);
    summary.polled = polled.size;
    failures.push(...swept.failures);
    // A failed publish or save stops no job: such a page may fail in every run.
    failures.push(...(await workOnUntil(waiting, time.endsAt, run)));
    waiting = [];
    if (isLast || failures.length > 0) break;
    await clock.sleep(sweptAt + pollEveryMs - clock.now(), time.signal);
    if (time.signal.aborted) break;
  }
  return failures;
}

/**
 * Works on jobs until a time. Their code is loaded only when there are any.
 *
 * @returns the errors that the run fails with.
 */
async function workOnUntil(
  feeds: readonly WithJob[],
  end: number,
  run: RunContext,
): Promise<readonly unknown[]> {
  if (feeds.length === 0) return [];
  const { workOnJobs } = await import('../jobs/work-on-jobs.ts');
  try {
    return await run.time.until(end, (signal) => workOnJobs(feeds, run, signal));
  } catch (error) {
    return [error];
  }
}
