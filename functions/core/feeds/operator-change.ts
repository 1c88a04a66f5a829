import type { Feed } from '../model/feed.ts';
import { hasJob } from '../model/job.ts';
import { earlierOf, type Timestamp } from '../model/timestamp.ts';
import { retry } from './health.ts';

/** The change of a feed by an operator. */
export type OperatorChange =
  /** `retry` ends the wait of a list, `cancel` its job. */
  | { readonly command: 'pause' | 'resume' | 'retry' | 'cancel' }
  /** The list is read again from this time on, or from its start. */
  | { readonly command: 'rewind'; readonly to?: Timestamp }
  /** Events of this time and later are published again. */
  | { readonly command: 'replay'; readonly id: string; readonly since: Timestamp }
  /** The list is compared with the mirror. `force`: any share of it may be missing. */
  | { readonly command: 'reconcile'; readonly id: string; readonly force?: true };

/** The feed after an operator's change. The same change again changes nothing. */
export function afterChange(feed: Feed, change: OperatorChange): Feed {
  switch (change.command) {
    case 'pause':
      return { ...feed, paused: true };
    case 'resume': {
      const { paused: _, ...resumed } = feed;
      return resumed;
    }
    case 'retry':
      return retry(feed);
    case 'rewind':
      return rewound(feed, change.to);
    case 'cancel': {
      const { job: _, ...free } = feed;
      return hasJob(feed) ? free : feed;
    }
    case 'replay':
    case 'reconcile': {
      const { command: name, ...parameters } = change;
      // A list works on one job at a time.
      const isTaken = hasJob(feed) || feed.job?.id === change.id;
      return isTaken ? feed : { ...feed, job: { name, ...parameters } };
    }
  }
}

/** The feed at an earlier cursor, so that its list is read again from there. */
function rewound(feed: Feed, to: Timestamp | undefined): Feed {
  // A list that was never read to its end is read from its start anyway.
  if (feed.cursor === undefined) return feed;
  const { digest: _, cursor, ...rest } = feed;
  return to === undefined ? rest : { ...rest, cursor: earlierOf(cursor, to) };
}

/** Whether two feeds are the same in all fields. */
export function isSameFeed(a: Feed, b: Feed): boolean {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]) as Set<keyof Feed>;
  return [...keys].every((key) => a[key] === b[key]);
}
