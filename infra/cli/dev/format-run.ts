import { emptySummary, type RunSummary } from '../../../functions/core/run/run-summary.ts';
import { countOf } from '../format.ts';

/** A tick of the schedule, whose pollers have all ended. */
export interface Tick {
  readonly number: number;
  readonly summary: RunSummary;
  readonly durationMs: number;
  /** Whether a run before has polled all lists, so entities without events are known already. */
  readonly hasBaseline: boolean;
}

const ACTIONS = ['created', 'updated', 'deleted', 'restored'] as const;
const COUNTS = [
  ...(['feeds', 'polled', 'waiting', 'parked'] as const),
  ...(['pages', 'entities', 'quarantined'] as const),
];

/** Adds up the runs of all shards in one tick. One that found the lease held did nothing. */
export function addUp(summaries: readonly RunSummary[]): RunSummary {
  const sum = { ...emptySummary(), leaseHeld: true };
  for (const { leaseHeld, events, ...summary } of summaries) {
    if (leaseHeld) continue;
    for (const name of COUNTS) sum[name] += summary[name];
    for (const action of ACTIONS) sum.events[action] += events[action];
    const { token = sum.token, outageSince = sum.outageSince, stoppedEarly } = summary;
    Object.assign(sum, { token, outageSince, leaseHeld });
    sum.stoppedEarly ||= stoppedEarly;
  }
  return sum;
}

/** Formats the counts of a tick as a line: events, entities, lists, trouble and duration. */
export function formatRun({ number, durationMs, summary, hasBaseline }: Tick): string {
  const { leaseHeld, feeds, polled, token, outageSince, stoppedEarly, ...counts } = summary;
  if (leaseHeld) return `run ${number}: another run holds the lease`;
  const { waiting, parked, quarantined, entities } = counts;
  const trouble = Object.entries({ waiting, parked, quarantined }).filter(([, count]) => count > 0);
  const eventCount = Object.values(summary.events).reduce((sum, count) => sum + count, 0);
  const isBaseline = !hasBaseline && eventCount === 0 && entities > 0;
  const read = countOf(entities, 'entity', 'entities');
  const parts = [
    isBaseline
      ? `baseline of ${read}, no events`
      : `${eventCount === 0 ? 'no events' : countOf(eventCount, 'event')} from ${read}`,
    stoppedEarly
      ? `${polled} of ${feeds} lists polled in time`
      : `${countOf(polled, 'list')} polled`,
    ...trouble.map(([name, count]) => `${count} ${name}`),
    ...(token === undefined ? [] : [`the refresh token is ${token}`]),
    ...(outageSince === undefined ? [] : [`no list could be read since ${outageSince}`]),
    `${(durationMs / 1000).toFixed(1)} s`,
  ];
  return `run ${number}: ${parts.join(', ')}`;
}
