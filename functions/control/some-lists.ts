import type { Feed } from '../core/model/feed.ts';
import type { SomeLists } from './protocol.ts';

/** Names of lists in an answer. */
const MAX_EXAMPLES = 10;

/** Lists as an answer tells them. */
export function someLists(feeds: readonly Feed[]): SomeLists {
  const examples = feeds.slice(0, MAX_EXAMPLES).map((feed) => feed.id);
  return { listCount: feeds.length, examples };
}
