import type { Clock } from './clock.ts';
import type { EventTopic } from './event-topic.ts';
import type { Quarantine } from './quarantine.ts';
import type { ServiceApi } from './service-api.ts';
import type { StateStore } from './state-store.ts';
import type { Telemetry } from './telemetry.ts';

/**
 * The outside of a run. Any call may fail, be slow or be the last one: the promises hold all the
 * same, as `npm run simulate` shows.
 *
 * Each interface documents its contract, which test/contracts checks for all implementations.
 */
export interface Ports {
  readonly api: ServiceApi;
  readonly store: StateStore;
  readonly topic: EventTopic;
  readonly quarantine: Quarantine;
  readonly telemetry: Telemetry;
  readonly clock: Clock;
}
