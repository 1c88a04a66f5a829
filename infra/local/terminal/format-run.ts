import { emptySummary, type RunSummary } from '../../../functions/core/run/run-summary.ts';
import { countOf } from '../../count-of.ts';

/** Meaning of words in the line of a run, shown when they first appear. */
export const LEGEND = {
  're-read':
    're-read: entities read before. A cursor stays behind the end of its list, so that late changes are found; unchanged entities raise no events.',
  waiting:
    'waiting: lists whose last polls failed. They are tried again after 1, 2, 4 and then 5 minutes, lists that the service refuses after up to an hour.',
  parked:
    'parked: lists of deleted projects. They are read once more, then once a day, and when the project is restored.',
  quarantined:
    'quarantined: invalid entities or events. The reasons: npm run sitecast -- quarantine list --local',
} as const;

export interface RunLine {
  readonly number: number;
  readonly summary: RunSummary;
  readonly durationMs: number;
  /** Whether a run before has polled all lists, so entities without events are known already. */
  readonly hasBaseline: boolean;
  /** Events of entities that have their own list. */
  readonly listedEventCount: number;
}

/** Adds up the runs of all shards in one tick. One that found the lease held did nothing. */
export function addUp(summaries: readonly RunSummary[]): RunSummary {
  return summaries
    .filter(({ leaseHeld }) => !leaseHeld)
    .reduce<RunSummary>(
      (sum, { events, ...next }) => ({
        ...sum,
        ...next,
        ...sumOf(sum, next, COUNTS),
        events: { ...events, ...sumOf(sum.events, events, ACTIONS) },
        stoppedEarly: sum.stoppedEarly || next.stoppedEarly,
        leaseHeld: false,
      }),
      { ...emptySummary(), leaseHeld: true },
    );
}

const ACTIONS = ['created', 'updated', 'deleted', 'restored'] as const;
const COUNTS = [
  ...(['feeds', 'polled', 'waiting', 'parked'] as const),
  ...(['pages', 'entities', 'quarantined'] as const),
];

function sumOf<K extends string>(
  a: Readonly<Record<K, number>>,
  b: Readonly<Record<K, number>>,
  fields: readonly K[],
): Record<K, number> {
  return Object.fromEntries(fields.map((field) => [field, a[field] + b[field]])) as Record<
    K,
    number
  >;
}

/** How often lists are polled, and what the config allows. */
export interface PollRate {
  /** Lists that a run polls. */
  readonly listCount: number;
  readonly everySeconds: number;
  readonly requestsPerMinute: number;
}

/** Says that polling each few seconds takes more requests than a stage allows; undefined if it does not. */
export function formatShortBudget({
  listCount,
  everySeconds,
  requestsPerMinute,
}: PollRate): string | undefined {
  const needed = Math.ceil((listCount * 60) / everySeconds);
  if (needed <= requestsPerMinute) return undefined;
  const enoughSeconds = Math.min(60, Math.ceil((listCount * 60) / requestsPerMinute));
  const advice = enoughSeconds > everySeconds ? ` --every ${enoughSeconds} waits less.` : '';
  return `${countOf(listCount, 'list')} each ${everySeconds} s take ${needed} requests a minute; the config allows ${requestsPerMinute}, so runs wait, and commands with them.${advice}`;
}

/** Formats the counts of a run as a line: events, entities, lists, trouble and duration. */
export function formatRun({ number, durationMs, ...run }: RunLine): string {
  const { leaseHeld, feeds, polled, token, outageSince, stoppedEarly, ...counts } = run.summary;
  if (leaseHeld) return `run ${number}: another run holds the lease`;
  const { waiting, parked, quarantined } = counts;
  const trouble = Object.entries({ waiting, parked, quarantined }).filter(([, count]) => count > 0);
  const parts = [
    formatOutcome(run),
    // Lists of deleted projects are not polled, and lack nothing.
    stoppedEarly ? `${polled} of ${feeds} lists polled` : `${countOf(polled, 'list')} polled`,
    ...trouble.map(([name, count]) => `${count} ${name}`),
    ...(token === undefined ? [] : [`the refresh token is ${token}`]),
    ...(outageSince === undefined ? [] : [`no list could be read since ${outageSince}`]),
    ...(stoppedEarly ? ['stopped before all lists were polled'] : []),
    `${(durationMs / 1000).toFixed(1)} s`,
  ];
  return `run ${number}: ${parts.join(', ')}`;
}

function formatOutcome({
  summary,
  hasBaseline,
  listedEventCount,
}: Omit<RunLine, 'number' | 'durationMs'>) {
  const { entities, quarantined } = summary;
  const eventCount = Object.values(summary.events).reduce((sum, count) => sum + count, 0);
  if (!hasBaseline && eventCount === 0 && entities > 0) {
    return `baseline of ${countOf(entities, 'entity', 'entities')}, no events`;
  }
  const events = eventCount === 0 ? 'no events' : countOf(eventCount, 'event');
  if (entities === 0) return events;
  const reread = Math.max(entities - listedEventCount - quarantined, 0);
  const known = hasBaseline && reread > 0 ? ` (${reread} re-read)` : '';
  return `${events} from ${countOf(entities, 'entity', 'entities')}${known}`;
}
