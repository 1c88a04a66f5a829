import type { RunSummary } from '../../../../functions/core/run/run-summary.ts';
import { countOf } from '../../../cli/format.ts';

/** Events that the topic accepted. */
export function eventCountOf({ events }: RunSummary): number {
  return Object.values(events).reduce((sum, count) => sum + count, 0);
}

/** Formats the counts of a run: events, entities, lists and trouble. */
export function formatRun(summary: RunSummary, isFirst = false): string {
  const { leaseHeld, feeds, polled, token, outageSince, stoppedEarly, ...counts } = summary;
  if (leaseHeld) return 'another run holds the lease';
  const { waiting, quarantined, entities } = counts;
  const trouble = Object.entries({ waiting, quarantined }).filter(([, count]) => count > 0);
  const eventCount = eventCountOf(summary);
  const events = eventCount === 0 ? 'no events' : countOf(eventCount, 'event');
  const read = countOf(entities, 'entity', 'entities');
  return [
    isFirst && eventCount === 0 ? `baseline of ${read}, no events` : `${events} from ${read}`,
    stoppedEarly
      ? `${polled} of ${feeds} lists polled in time`
      : `${countOf(polled, 'list')} polled`,
    ...trouble.map(([name, count]) => `${count} ${name}`),
    ...(token === undefined ? [] : [`the refresh token is ${token}`]),
    ...(outageSince === undefined ? [] : [`no list could be read since ${outageSince}`]),
  ].join(', ');
}
