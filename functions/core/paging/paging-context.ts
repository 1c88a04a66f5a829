import type { Clock } from '../ports/clock.ts';
import type { ServiceApi } from '../ports/service-api.ts';
import type { PageBuffer } from './page-buffer.ts';
import type { ServiceTime } from './service-time.ts';

/** How lists are read; from the operator's config. */
export interface PagingOptions {
  /** `Service-Per-Page`: 1 to 1000; {@link PageFetcher} lowers it where entities are large. */
  readonly perPage: number;
  /** Maximum time between an entity's `updated_at` and its appearance in the list. */
  readonly lookbackMs: number;
}

/** Everything that reading lists needs. All lists of a run share it. */
export interface PagingContext {
  readonly api: ServiceApi;
  readonly clock: Clock;
  readonly options: PagingOptions;
  readonly pageBuffer: PageBuffer;
  readonly serviceTime: ServiceTime;
}
