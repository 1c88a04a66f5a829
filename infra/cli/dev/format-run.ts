import type { RunSummary } from '../../../functions/core/run/run-summary.ts';
import { countOf } from '../format.ts';

/** Formats the counts of a run: events, entities, lists, trouble and duration. */
export function formatRun(summary: RunSummary, durationMs: number, isFirst: boolean): string {
  const { leaseHeld, feeds, polled, token, outageSince, stoppedEarly, ...counts } = summary;
  if (leaseHeld) return 'another run holds the lease';
  const { waiting, quarantined, entities } = counts;
  const trouble = Object.entries({ waiting, quarantined }).filter(([, count]) => count > 0);
  const eventCount = Object.values(summary.events).reduce((sum, count) => sum + count, 0);
  const events = eventCount === 0 ? 'no events' : countOf(eventCount, 'event');
  const isBaseline = isFirst && eventCount === 0 && entities > 0;
  const read = countOf(entities, 'entity', 'entities');
  return [
    isBaseline ? `baseline of ${read}, no events` : `${events} from ${read}`,
    stoppedEarly
      ? `${polled} of ${feeds} lists polled in time`
      : `${countOf(polled, 'list')} polled`,
    ...trouble.map(([name, count]) => `${count} ${name}`),
    ...(token === undefined ? [] : [`the refresh token is ${token}`]),
    ...(outageSince === undefined ? [] : [`no list could be read since ${outageSince}`]),
    `${(durationMs / 1000).toFixed(1)} s`,
  ].join(', ');
}
