import { type Ports } from '../ports/ports.ts';
import type { Paginator } from '../paging/paginator.ts';
import { type PagingContext } from '../paging/paginator.ts';
import { type TurnLimit } from '../paging/read-ahead.ts';
import { type Catalog } from '../model/resource-catalog.ts';
import type { FeedRegistry } from '../feeds/feed-registry.ts';
import { type SummaryBuilder } from './run-summary.ts';

/** What polling a feed needs to know of its run. The ports are fenced, see {@link fencePorts}. */
export interface PollContext extends Ports, PagingContext, TurnLimit {
  readonly catalog: Catalog;
  /** `{base_url}/api/v3`, the source of the events. */
  readonly source: string;
  readonly registry: FeedRegistry;
  readonly summary: SummaryBuilder;
  /** Walks that let others have a turn, by feed id. */
  readonly suspended: Map<string, Paginator>;
  /** Aborted when the run has to stop. Pages that are being worked come to their end. */
  readonly signal: AbortSignal;
  /** Polls further feeds in this run. */
  readonly enqueue: (feedIds: readonly string[]) => void;
}
