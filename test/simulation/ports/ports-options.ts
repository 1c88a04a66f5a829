import type { QuarantineOperations } from '../../../functions/control/ports.ts';
import type { OperatedStore } from '../../../functions/control/ports.ts';
import type { EventTopic } from '../../../functions/core/ports/event-topic.ts';
import type { Quarantine } from '../../../functions/core/ports/quarantine.ts';
import type { Page, PageRequest } from '../../../functions/core/ports/service-api.ts';
import type { Random } from '../../../infra/local/simulator/world/random.ts';
import type { Chronicle, RunRecord } from '../chronicle.ts';
import type { Limits } from '../history/setup.ts';
import type { Process } from '../process.ts';
import type { SimulatedService } from '../service.ts';

/** Quarantine, table and topic, in memory or embedded. */
export interface Backend {
  readonly store: OperatedStore;
  readonly topic: EventTopic;
  readonly quarantine: Quarantine & QuarantineOperations;
  /** Reads a page over HTTP; without it the service is asked directly. */
  readonly readPage?: (
    service: SimulatedService,
    request: PageRequest,
    now: number,
  ) => Promise<Page>;
}

/** The environment of one run's ports. */
export interface PortsOptions {
  readonly process: Process;
  readonly record: RunRecord;
  readonly chronicle: Chronicle;
  readonly service: SimulatedService;
  readonly limits: Limits;
  readonly requestsPerRun: number;
  /** Maximum bytes of a body. */
  readonly maxBodyBytes: number;
  readonly backend: Backend;
  readonly luck: Random;
  /** Whether the table throttles a call. */
  readonly isThrottled: () => boolean;
  /** Whether the topic refuses the first event of a call. */
  readonly isRefused: () => boolean;
}

/** Whether a port fails all calls now. */
export function hasOutage(port: Limits['outage'], { limits, service }: PortsOptions): boolean {
  return limits.outage === port && !service.isCalm;
}
