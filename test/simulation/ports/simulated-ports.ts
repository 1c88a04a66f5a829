import type { Ports } from '../../../functions/core/ports/ports.ts';
import { RecordingTelemetry } from '../../support/recording-telemetry.ts';
import type { PortsOptions } from './ports-options.ts';
import { simulatedApi } from './simulated-api.ts';
import { simulatedQuarantine } from './simulated-quarantine.ts';
import { simulatedStore } from './simulated-store.ts';
import { simulatedTopic } from './simulated-topic.ts';

/** The ports of one run: each call may fail, be slow, or be the last. */
export function simulatedPorts(options: PortsOptions): Ports {
  return {
    api: simulatedApi(options),
    store: simulatedStore(options),
    topic: simulatedTopic(options),
    quarantine: simulatedQuarantine(options),
    telemetry: new RecordingTelemetry(),
    clock: options.process.clock,
  };
}
