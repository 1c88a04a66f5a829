import type { Feed } from '../model/feed.ts';
import { earlierOf, type Timestamp } from '../model/timestamp.ts';
import { retry } from './health.ts';

/** What an operator changes at once. */
export type OperatorChange =
  /** `retry` ends the wait of a list. */
  | { readonly command: 'pause' | 'resume' | 'retry' }
  /** Lists are read again from this time on, or from their start. */
  | { readonly command: 'rewind'; readonly to?: Timestamp };

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
