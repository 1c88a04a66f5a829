import * as z from 'zod/mini';
import { FEED_PARTITIONS } from '../core/model/feed.ts';
import { makeCatalog } from '../core/model/resource-catalog.ts';
import { additionalResources } from './additional-resources.ts';
import { matching, oneOf, trueOrFalse, whole } from './field-types.ts';
import { omit } from './omit.ts';
import { reconcileFields } from './reconcile-fields.ts';
import { headers, query } from './request-fields.ts';
import { serviceUrl } from './service-url.ts';

/** The numbers that divide the partitions of the table equally. */
const SHARD_COUNTS = [1, 2, 4, 8, FEED_PARTITIONS];

const shardCount = z.literal(SHARD_COUNTS, { error: `one of ${SHARD_COUNTS.join(', ')}` });

const [firstName = '', ...otherNames] = makeCatalog().perProject.map(({ name }) => name);
const resources = z.array(oneOf(firstName, ...otherNames), {
  error: `a list of ${[firstName, ...otherNames].map((name) => `"${name}"`).join(' and ')}`,
});

const IDS = 'a list of ids of projects; leave it out for all projects';
/** UUIDs (spec, "Notation"), or numbers, which some services show. */
const projectId = matching(
  /^([\da-fA-F]{8}(-[\da-fA-F]{4}){3}-[\da-fA-F]{12}|\d{1,16})$/,
  'the id of a project, not its name: a UUID, or digits',
);
const projects = z.array(projectId, { error: IDS }).check(z.minLength(1, { error: IDS }));

const shape = {
  /** `{base_url}` of the spec: the service's https address without `/api/v3`. */
  baseUrl: serviceUrl(/\/api\/v3\/*$/, '/api/v3, which is added'),
  /** `{auth_url}` of the spec: where refresh tokens are exchanged, without `/api_keys/jwt`. */
  authUrl: serviceUrl(
    /\/(api\/v3|api_keys\/jwt)\/*$/,
    '/api/v3, and without /api_keys/jwt, which is added',
  ),
  /** Minutes between two runs. Default: 1. */
  everyMinutes: z._default(whole(1, 60, 'minutes'), 1),
  /**
   * `Service-Version` to pin, YYYY-MM-DD. Default: the latest. Items of checklists raise events
   * only with a version before 2021-04-15; sheets only with one before 2021-03-30, or with
   * `withCurrentSheet`. After a switch, existing items and sheets are `created` when their parent
   * next changes.
   */
  serviceVersion: z.optional(z.iso.date({ error: 'a date YYYY-MM-DD' })),
  /**
   * Whether floorplans come with their current sheet, whose changes then raise events. Default:
   * false. Existing sheets are `created` when their floorplan next changes.
   */
  withCurrentSheet: z._default(trueOrFalse(), false),
  /**
   * Pollers that divide lists and requests equally: 1, 2, 4, 8 or 16. Default: 1. Each has its own
   * function, schedule and memory.
   */
  shards: z._default(shardCount, 1),
  /**
   * Maximum entities per page, `Service-Per-Page`. Default: 1000. Large entities come in smaller
   * pages, which fit the memory.
   */
  perPage: z._default(whole(1, 1000, 'entities'), 1000),
  /**
   * Maximum requests a minute to the service of all pollers together. Default: 500. Retries and
   * exchanges of the access token count.
   */
  requestsPerMinute: z._default(whole(1, 60_000, 'requests a minute'), 500),
  /**
   * Maximum seconds between two polls of a list. Default: 1800, or three times `everyMinutes` if
   * that is longer. A log entry and an alarm say when the request budget is too small.
   */
  maxWaitSeconds: z.optional(whole(60, 86_400, 'seconds')),
  /**
   * Seconds between two sweeps over the lists within one run. Default: one sweep per run. With few
   * lists events arrive within seconds; each run lasts, and is billed, as long as it may.
   */
  pollEverySeconds: z.optional(whole(5, 3600, 'seconds')),
  /**
   * Seconds by which an entity may become visible later than its `updated_at` says. Default: 60.
   * Each poll reads this time again.
   */
  lookbackSeconds: z._default(whole(0, 3600, 'seconds'), 60),
  /**
   * Whether entities that exist before the first run have no event (`silent`) or a `created`
   * (`emit`). Default: silent.
   */
  baseline: z._default(oneOf('silent', 'emit'), 'silent'),
  /**
   * Lists that each shard polls at the same time. Default: 8. They share the memory, see
   * docs/scale-and-cost.md.
   */
  concurrency: z._default(whole(1, 64, 'lists'), 8),
  /**
   * Metrics and alarms, which CloudWatch bills (docs/scale-and-cost.md). `basic`: those for lost or
   * late events. `full`: all, and a dashboard. `off`: none. Default: basic.
   */
  monitoring: z._default(oneOf('off', 'basic', 'full'), 'basic'),
  /** Headers of the requests, see below. Default: those of the spec. */
  headers: z.optional(headers),
  /**
   * Query parameters of a list's requests, by its name: `{ "projects": { "view": "full" } }`. They
   * must not narrow the list. Default: none.
   */
  query: z.optional(query),
  /** Lists of the same shape, of each project or of the account, see below. Default: none. */
  additionalResources: z._default(additionalResources, []),
  /**
   * Top-level fields that are removed from the entities of a list, and from those nested in them,
   * by the list's name: `{ "projects": ["access_token"] }`. Default: none.
   */
  omit: z.optional(omit),
  /**
   * Built-in lists that are polled for each project. Default: all. The list of projects and
   * `additionalResources` always are.
   */
  resources: z.optional(resources),
  /**
   * Ids of the projects whose lists are polled. Default: all. The projects themselves always raise
   * events.
   */
  projects: z.optional(projects),
  /**
   * Days for which the state of a deleted entity is kept. Default: 400. An entity restored later is
   * `created`.
   */
  retentionDays: z._default(whole(1, 3650, 'days'), 400),
  /** How lists are read whole and compared with the mirror, see below. */
  reconcile: z._default(reconcileFields, { maxMissingShare: 0.5 }),
};

/** The part of a stage's config that the poller reads. Deployment passes it on as JSON. */
export const pollerConfig = z.object(shape, {
  error: `a JSON object with the fields ${Object.keys(shape).join(', ')}`,
});

/** Checked, with defaults filled in. */
export type PollerConfig = Readonly<z.output<typeof pollerConfig>>;
