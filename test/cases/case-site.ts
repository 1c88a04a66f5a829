import { AccessTokenSource } from '../../functions/adapters/auth/access-token.ts';
import type { JsonObject } from '../../functions/core/model/entity.ts';
// Loaded when first needed, which would take no virtual time.
import '../../functions/core/jobs/work-on-jobs.ts';
import type { RunOptions } from '../../functions/core/run/run-options.ts';
import { optionsOf, pollOnce, stageOf } from '../support/as-deployed.ts';
import { MemoryQuarantine } from '../support/memory-quarantine.ts';
import { MemoryStore } from '../support/memory-store.ts';
import { MemoryTopic } from '../support/memory-topic.ts';
import { RecordingTelemetry } from '../support/recording-telemetry.ts';
import { VirtualService, type PageOptions } from '../support/virtual-service.ts';
import { MINUTE_MS, VirtualTime } from '../support/virtual-time.ts';

/** The list that most cases are about. */
export const PLANS = '/projects/p/floorplans';

/** Where access tokens are exchanged. */
export const TOKENS = '/api_keys/jwt';

interface CaseOptions {
  /** Answers a request in the service's place, unless it returns undefined. */
  readonly answer?: (request: Request, path: string, site: CaseSite) => Response | undefined;
  /** Fields of the stage's config. */
  readonly config?: object;
  readonly refreshToken?: string;
}

/** A service with one project and one floorplan, polled with what is deployed, in virtual time. */
export class CaseSite {
  readonly time = new VirtualTime(Date.parse('2026-03-02T08:00:00.000Z'));
  readonly clock = this.time.clock;
  readonly service: VirtualService;
  readonly store = new MemoryStore();
  readonly quarantine = new MemoryQuarantine();
  readonly telemetry = new RecordingTelemetry();
  readonly options: RunOptions;
  readonly #topic = new MemoryTopic();

  constructor({ answer, config, refreshToken = 'refresh-token' }: CaseOptions = {}) {
    const stage = stageOf(config);
    this.options = optionsOf(stage);
    this.service = new VirtualService(this.time, {
      latencyMs: 150,
      requestsPerMinute: stage.requestsPerMinute,
      answer: (request, path) =>
        answer?.(request, path, this) ??
        (path === TOKENS ? Response.json({ access_token: 'token' }) : undefined),
      accessTokens: new AccessTokenSource({
        authUrl: 'https://auth.example',
        secret: { name: 'refresh-token', read: () => Promise.resolve(refreshToken) },
        now: () => this.time.now,
        fetch: (...request) => this.service.fetch(...request),
        retryBaseMs: 1,
      }),
    });
    const updated_at = '2026-03-02T07:00:00.000Z';
    this.put('/projects', 'p', { account_id: 7, updated_at });
    this.put(PLANS, 'f', { updated_at });
  }

  /** Creates an entity, or changes fields of it, as of now. */
  put(list: string, id: string, fields: JsonObject = {}): void {
    const updated_at = new Date(this.time.now).toISOString();
    this.service.put(list, { id, updated_at, deleted_at: null, ...fields });
  }

  /** One run a minute. @returns type and id of the events. */
  async poll(runs = 1): Promise<string[]> {
    const before = this.#topic.published.length;
    const { api } = this.service;
    const { clock, store, quarantine, telemetry } = this;
    const ports = { api, clock, store, quarantine, telemetry, topic: this.#topic };
    for (let i = 0; i < runs; i += 1) {
      const end = this.time.now + MINUTE_MS;
      const remainingMs = () => end - 5_000 - this.time.now;
      const run = pollOnce(ports, { ...this.options, remainingMs }).catch((error: unknown) => {
        telemetry.error('Run failed', error);
      });
      await this.time.passUntil(run.then(() => this.time.sleep(end - this.time.now)));
    }
    const published = this.#topic.published.slice(before);
    return published.map(({ type, partitionkey }) => `${type} ${partitionkey}`);
  }

  /** Requests of a path so far. */
  requests(path = PLANS): VirtualService['requests'] {
    return this.service.requests.filter((request) => request.path === path);
  }

  /** Warnings and errors so far: message, error with its hint, fields. */
  get reports(): string[] {
    return this.telemetry.logs
      .filter(({ level }) => level !== 'info')
      .map(({ message, error, fields }) => {
        const { hint = '' } = (error ?? {}) as { readonly hint?: string };
        return [message, String(error), hint, JSON.stringify(fields)].join(' ');
      });
  }
}

/** A site of which the pages of the floorplans are made in another way. */
export function siteWith(page: PageOptions, config: object = {}): CaseSite {
  const answer = (request: Request, path: string, { service }: CaseSite) =>
    path === PLANS ? service.page(request, page) : undefined;
  return new CaseSite({ answer, config });
}
