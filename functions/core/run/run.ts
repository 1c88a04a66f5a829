import { isWaiting } from '../feeds/health.ts';
import { openRegistry } from '../feeds/load-feeds.ts';
import type { Ports } from '../ports/ports.ts';
import { openScheduler } from '../schedule/scheduler.ts';
import { freeLease, takeLease } from './lease.ts';
import { pollUntilDeadline } from './poll-until-deadline.ts';
import { reportLists, reportToken, throwIfFailed } from './report-run.ts';
import type { RunContext } from './run-context.ts';
import type { RunOptions } from './run-options.ts';
import { emptySummary, type RunSummary } from './run-summary.ts';
import { RunTime } from './run-time.ts';
import { ServiceHealth } from './service-health.ts';

/**
 * One run of a shard, from its lease to its release: load the feeds → choose → poll several at a
 * time → work on jobs → leave a note for the next run.
 *
 * - A feed that fails waits; the others continue (promise 6 of docs/guarantees.md).
 * - After a failure of topic, table or quarantine the run fails at its end, so that operators see
 *   it. Without a valid refresh token it ends without a failure.
 * - A run is bounded: it stops reading `reserveMs` before its function is killed.
 *
 * @throws FatalError when the run cannot continue: no answer of the token endpoint, say.
 * @throws AggregateError when pages could not be committed, or jobs failed.
 */
export async function run(ports: Ports, options: RunOptions): Promise<RunSummary> {
  const lease = await takeLease(ports, options);
  if (lease === undefined) return { ...emptySummary(), leaseHeld: true };
  const time = new RunTime(ports.clock, options);
  try {
    await ports.store.openTable();
    return await pollAndReport(await openRun(ports, options, time));
  } finally {
    time.end();
    await freeLease(ports, lease);
  }
}

/** Loads the feeds of a run that has its lease, and the note of the run before. */
async function openRun(ports: Ports, options: RunOptions, time: RunTime): Promise<RunContext> {
  const { api, clock, store } = ports;
  const registry = await openRegistry(store, options);
  const scheduler = await openScheduler(ports, options, registry.all());
  const { note } = scheduler;
  api.beginRun({ note: note.api, until: time.endsAt });
  // Only the poll of a waiting list ends an outage.
  const hasWaiting = registry.polled().some(isWaiting);
  return {
    ports,
    options,
    registry,
    scheduler,
    health: new ServiceHealth(hasWaiting ? note.outage : undefined),
    lists: { api, clock, options: options.paging },
    summary: emptySummary(),
    time,
  };
}

/** Polls, reports the outcome, and leaves a note for the next run. */
async function pollAndReport(run: RunContext): Promise<RunSummary> {
  const { ports, registry, scheduler, summary, health } = run;
  const { api, clock, telemetry } = ports;
  const startedAt = clock.now();
  let { polledAllAt, token } = scheduler.note;
  try {
    const failures = await pollUntilDeadline(run);
    const isWhole = failures.length === 0 && !summary.stoppedEarly && !health.outage(startedAt);
    if (isWhole && !scheduler.isShort) polledAllAt = startedAt;
    reportLists(run);
    reportToken(failures, run);
    // A run without a poll has not used the token: the note keeps its problem.
    token = summary.token ?? (summary.polled > 0 ? undefined : token);
    throwIfFailed(failures);
    telemetry.count('RunsCompleted', 1);
    return summary;
  } finally {
    await scheduler.save(registry.all(), {
      api: api.handOver(),
      outage: health.outage(clock.now()),
      limited: api.allowance(0).limited,
      polledAllAt,
      token,
    });
  }
}
