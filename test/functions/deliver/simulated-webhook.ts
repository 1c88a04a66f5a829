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

/** Of the function. */
const TIMEOUT_MS = 60_000;

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

  /** Receives a batch and delivers it, as Lambda does. @returns whether there was one. */
  async invoke(killAfterMs = TIMEOUT_MS): Promise<boolean> {
    if (!this.isMapped) return false;
    const messages = this.queue.receive();
    if (messages.length === 0) return false;
    const killAt = this.clock.now() + killAfterMs;
    const work = deliverBatch(messages, this.#makePorts(killAt));
    const left = await Promise.race([work, this.clock.sleep(killAfterMs)]);
    if (left === undefined) return true;
    for (const message of messages) if (!left.includes(message)) this.queue.delete(message.receipt);
    return true;
  }

  #makePorts(killAt: number): DeliverPorts {
    const { clock, queue, metrics, log } = this;
    const never = new Promise<never>(() => undefined);
    // A killed process does nothing any more.
    const alive = <T>(value: T | Promise<T>): Promise<T> =>
      clock.now() >= killAt ? never : Promise.resolve(value);
    return {
      store: {
        name: 'hook',
        loadState: () => alive(this.state),
        noteFailure: async (at, maxGapMs) => {
          const { failingSince } = await alive(this.state);
          const isOver = this.lastFailureAt < at - maxGapMs;
          this.lastFailureAt = at;
          const since = failingSince === undefined || isOver ? at : failingSince;
          this.state = { ...this.state, failingSince: since };
          return since;
        },
        endFailures: async () => {
          const { failingSince: _, ...state } = await alive(this.state);
          this.state = state;
        },
        disable: async (by: DisabledBy, at: number, failingSince?: number) => {
          const state = await alive(this.state);
          if (failingSince !== undefined && state.failingSince !== failingSince) return false;
          this.state = { ...state, disabled: { at, by } };
          return true;
        },
        saveAttempts: (attempts) => alive(void this.attempts.push(...attempts)),
      },
      queue: {
        hide: async (...hidden) => alive(queue.hide(...(await alive(hidden)))),
        bury: async (message) => alive(queue.bury(await alive(message))),
      },
      endpoint: { post: async (request) => alive(this.endpoint(await alive(request))) },
      secrets: { read: () => alive([Buffer.alloc(24, 'k')]) },
      largeEvents: {
        read: () => Promise.reject(new Error('there are none')),
        presign: () => Promise.reject(new Error('there are none')),
      },
      mapping: {
        stop: async (isStillWanted) => {
          if (await alive(isStillWanted())) this.isMapped = false;
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
