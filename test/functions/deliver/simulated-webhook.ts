import { deliverBatch } from '../../../functions/deliver/deliver-batch.ts';
import type {
  DeliverPorts,
  DisabledBy,
  WebhookAnswer,
  WebhookAttempt,
  WebhookRequest,
  WebhookState,
} from '../../../functions/deliver/ports.ts';
import type { ManualClock } from '../../support/manual-clock.ts';
import { SimulatedQueue } from './simulated-queue.ts';

/** Answers a request after a while of virtual time. */
export type Endpoint = (request: WebhookRequest) => Promise<WebhookAnswer>;

/** A webhook with its queue, its function and its mapping, all in virtual time and in memory. */
export class SimulatedWebhook {
  readonly queue: SimulatedQueue;
  readonly clock: ManualClock;
  readonly attempts: WebhookAttempt[] = [];
  readonly metrics: Record<string, number> = {};
  readonly log: string[] = [];
  state: WebhookState = {};
  lastFailureAt = -Infinity;
  isMapped = true;
  endpoint: Endpoint;
  /** Replaces ports. */
  ports: Partial<DeliverPorts> = {};

  constructor(clock: ManualClock, endpoint: Endpoint) {
    this.clock = clock;
    this.endpoint = endpoint;
    this.queue = new SimulatedQueue(() => clock.now());
  }

  /** Receives a batch and delivers it, as Lambda does. */
  async invoke(): Promise<void> {
    const messages = this.isMapped ? this.queue.receive() : [];
    const left = await deliverBatch(messages, this.#makePorts());
    for (const message of messages) if (!left.includes(message)) this.queue.delete(message.receipt);
  }

  #makePorts(): DeliverPorts {
    const { clock, queue, metrics, log } = this;
    return {
      store: {
        name: 'hook',
        loadState: () => Promise.resolve(this.state),
        noteFailure: (at, maxGapMs) => {
          const { failingSince } = this.state;
          const isOver = this.lastFailureAt < at - maxGapMs;
          this.lastFailureAt = at;
          const since = failingSince === undefined || isOver ? at : failingSince;
          this.state = { ...this.state, failingSince: since };
          return Promise.resolve(since);
        },
        endFailures: () => {
          const { failingSince: _, ...state } = this.state;
          this.state = state;
          return Promise.resolve();
        },
        disable: (by: DisabledBy, at: number, failingSince?: number) => {
          const isOutdated = failingSince !== undefined && this.state.failingSince !== failingSince;
          if (!isOutdated) this.state = { ...this.state, disabled: { at, by } };
          return Promise.resolve(!isOutdated);
        },
        saveAttempts: (attempts) => Promise.resolve(void this.attempts.push(...attempts)),
      },
      queue,
      endpoint: { post: (request) => this.endpoint(request) },
      secrets: { read: () => Promise.resolve([Buffer.alloc(24, 'k')]) },
      largeEvents: {
        read: () => Promise.reject(new Error('there are none')),
        presign: () => Promise.reject(new Error('there are none')),
      },
      mapping: {
        stop: async (isStillWanted) => {
          if (await isStillWanted()) this.isMapped = false;
        },
      },
      telemetry: {
        count: (name, amount) => void (metrics[name] = (metrics[name] ?? 0) + amount),
        observe: (name, value) => void (metrics[name] = value),
        info: () => undefined,
        warn: (message) => void log.push(message),
        error: (message, error) => void log.push(`${message}: ${String(error)}`),
      },
      now: () => clock.now(),
      ...this.ports,
    };
  }
}

/** The body of an event. */
export function bodyOfEvent(id: string, fields: object = {}): string {
  return JSON.stringify({ id, type: 'floorplan.updated', subject: `/${id}`, ...fields });
}
