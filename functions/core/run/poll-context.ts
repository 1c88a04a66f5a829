import { type Ports } from '../ports/ports.ts';
import type { Walk } from '../paging/paginator.ts';
import { type WalkContext } from '../paging/paginator.ts';
import { type Turn } from '../paging/read-ahead.ts';
import { type Catalogue } from '../model/resource-catalog.ts';
import type { FeedBook } from '../feeds/feed-registry.ts';
import { type Tally } from './run-summary.ts';

/** What polling a feed needs to know of its run. The ports are fenced, see {@link fence}. */
export interface PollContext extends Ports, WalkContext, Turn {
  readonly catalogue: Catalogue;
  /** `{base_url}/api/v3`, the source of the events. */
  readonly source: string;
  readonly book: FeedBook;
  readonly tally: Tally;
  /** Walks that let others have a turn, by feed id. */
  readonly paused: Map<string, Walk>;
  /** Aborted when the run has to stop. Pages that are being worked come to their end. */
  readonly signal: AbortSignal;
  /** Polls further feeds in this run. */
  readonly pollToo: (feedIds: readonly string[]) => void;
}
