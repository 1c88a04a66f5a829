import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import * as z from 'zod';
import { additionalResources } from './additional-resources.ts';
import { describe } from './problems.ts';
import { fields, list, matching, oneOf, serviceUrl, whole } from './schema.ts';
import { subscribers } from './subscribers.ts';
import { topicProblems } from './topic.ts';

/** The config is unusable. The message lists every problem: field, value, and what is allowed. */
export class ConfigInvalidError extends Error {
  override readonly name = 'ConfigInvalidError';
}

const TRUE_OR_FALSE = { error: 'true or false' };

const RETENTION_DAYS = Object.values(RetentionDays)
  .filter((days) => typeof days === 'number')
  .sort((a, b) => a - b);

/** A run begins no sweep in its last seconds: they are kept to finish the pages that it has begun. */
const RESERVE_SECONDS = 10;

const twoTimes = z.object({ timeoutSeconds: z.int(), everyMinutes: z.int() });

const sweepTimes = z.object({ timeoutSeconds: z.int(), pollEverySeconds: z.int() });

const waitTimes = z.object({ maxWaitSeconds: z.int(), everyMinutes: z.int() });

const stageSchema = fields({
  /** `{base_url}` of the spec: the service's address without `/api/v3`. */
  baseUrl: serviceUrl(/\/api\/v3\/*$/, '/api/v3, which is added'),
  /** `{auth_url}` of the spec: where refresh tokens are exchanged, without `/api_keys/jwt`. */
  authUrl: serviceUrl(
    /\/(api\/v3|api_keys\/jwt)\/*$/,
    '/api/v3, and without /api_keys/jwt, which is added',
  ),
  /** AWS account to deploy to, 12 digits. Absent: that of the credentials in use. */
  account: matching(/^\d{12}$/, 'an AWS account id of 12 digits').optional(),
  /** AWS region to deploy to. Absent: that of the credentials in use. */
  region: matching(/^[a-z]{2}(-[a-z]+)+-\d$/, 'an AWS region such as eu-central-1').optional(),
  /** Minutes between two runs. */
  everyMinutes: whole(1, 60, 'minutes').default(1),
  /**
   * `Service-Version` to pin, YYYY-MM-DD (spec, "Versioning"). Absent: the latest. What becomes
   * visible by switching later (items, sheets that exist already) is `created` when its parent is
   * next touched. Items of checklists are shown, and raise events, only with a version before
   * 2021-04-15; sheets only with one before 2021-03-30, or with `withCurrentSheet`.
   */
  serviceVersion: z.iso.date({ error: 'a date YYYY-MM-DD' }).optional(),
  /**
   * Ask for floorplans with their current sheet, whose changes then raise events. When this is
   * switched on later, a sheet that exists already is `created` when its floorplan is next touched.
   */
  withCurrentSheet: z.boolean(TRUE_OR_FALSE).default(false),
  /**
   * Entities per page at the most, `Service-Per-Page` (spec, "Limits"). Where entities are so large that
   * such pages of several lists would not fit into the memory, fewer are asked for.
   */
  perPage: whole(1, 1000, 'entities').default(1000),
  /** Requests a minute that all polling together may send to the service. */
  requestsPerMinute: whole(1, 60_000, 'requests a minute').default(500),
  /**
   * Seconds that no list is to wait for longer. Where the requests a minute cover all lists in each
   * run, none does. Where they do not, lists that change often are polled more often than others,
   * and this bounds how seldom the others are; lists in which nothing happens are polled no oftener. A
   * budget too small for it is said in the log.
   * Absent: half an hour, or three times the time between two runs where that is longer.
   */
  maxWaitSeconds: whole(60, 86_400, 'seconds').optional(),
  /**
   * Seconds between two sweeps over the lists within one run, as far as the requests a minute go:
   * events come within seconds where there are few lists. Absent: one sweep a run. A run then takes
   * as long as it may, and is billed for it.
   */
  pollEverySeconds: whole(5, 3600, 'seconds').optional(),
  /**
   * Seconds by which an entity may become visible later than its `updated_at` says. The cursor of a
   * list stays so far behind the time at which it was read.
   */
  lookbackSeconds: whole(0, 3600, 'seconds').default(60),
  /** What the first run does with what exists already: learn it, or emit it as created. */
  baseline: oneOf('silent', 'emit').default('silent'),
  /**
   * Lists that are polled at the same time. What they hold of pages together is bounded by the memory:
   * where that is short, they wait for each other, see docs/scaling.md, "Memory of a run".
   */
  concurrency: whole(1, 64, 'lists').default(8),
  /**
   * Seconds that a run holds its shard unless it renews; a killed run blocks no longer. With a tick
   * each minute, a killed run is replaced within 60 seconds more than this.
   */
  leaseSeconds: whole(15, 90, 'seconds').default(30),
  /** Further lists of the same shape, polled once per project. */
  additionalResources: additionalResources.default([]),
  /**
   * Memory of the poller in MB; its share of a CPU grows with it. A run holds as much of the lists'
   * pages as fits, whatever the backlog. With little memory large entities come in small pages, and a
   * backlog takes more requests. With less than 256 a backlog could get a run killed, and each one after it.
   */
  memoryMb: whole(256, 10_240, 'MB').default(512),
  /**
   * Seconds after which a run is killed; it stops by itself before that. Shorter than the time
   * between two runs, or the next ones would pile up behind it and end in the failure queue.
   */
  timeoutSeconds: whole(30, 900, 'seconds').default(55),
  /** Days that logs are kept. 9999: for ever. */
  logRetentionDays: z
    .literal(RETENTION_DAYS, { error: `one of ${RETENTION_DAYS.join(', ')} (days)` })
    .default(RetentionDays.ONE_MONTH),
  /** The least important log entries that are written. */
  logLevel: oneOf('DEBUG', 'INFO', 'WARN', 'ERROR').default('INFO'),
  /** AWS organisation whose accounts may subscribe to the topic, besides the stack's own account. */
  organisationId: matching(
    /^o-[a-z0-9]{10,32}$/,
    'an AWS organisation id such as o-a1b2c3d4e5',
  ).optional(),
  /** Further AWS accounts that may subscribe to the topic, 12 digits each. */
  subscriberAccountIds: list(
    matching(/^\d{12}$/, 'an AWS account id of 12 digits'),
    'a list of AWS account ids',
  ).default([]),
  /**
   * `fifo`: the events of one entity arrive in order and, for five minutes, without repeats, in queues
   * only. A change of it makes a new topic, without the subscriptions of the old one.
   */
  topicType: oneOf('standard', 'fifo').default('standard'),
  /**
   * Days that a FIFO topic keeps its events for replay; absent: not at all. A topic with an archive
   * cannot be deleted or replaced before this is taken out and deployed.
   */
  archiveDays: whole(1, 365, 'days').optional(),
  /** Subscribers that are deployed together with the topic; others may subscribe at any time. */
  subscribers: subscribers.default([]),
  /**
   * What happens to table, secret, quarantine, dead letters and logs when the stack is deleted. The
   * bucket of large events stays in any case, and forgets them after 30 days, or `archiveDays`.
   */
  removalPolicy: oneOf('retain', 'destroy').default('retain'),
})
  // Also when another field is wrong, so that all problems are told at once.
  .refine(({ timeoutSeconds, everyMinutes }) => timeoutSeconds < everyMinutes * 60, {
    path: ['timeoutSeconds'],
    error: 'less than the time between two runs (everyMinutes)',
    when: ({ value }) => twoTimes.safeParse(value).success,
  })
  .refine(({ maxWaitSeconds = Infinity, everyMinutes }) => maxWaitSeconds >= everyMinutes * 120, {
    path: ['maxWaitSeconds'],
    error: 'at least twice the time between two runs (everyMinutes)',
    when: ({ value }) => waitTimes.safeParse(value).success,
  })
  .refine(
    ({ pollEverySeconds = 0, timeoutSeconds }) =>
      pollEverySeconds < timeoutSeconds - RESERVE_SECONDS,
    {
      path: ['pollEverySeconds'],
      error: ({ input }) =>
        `less than ${sweepTimes.parse(input).timeoutSeconds - RESERVE_SECONDS}, or a run has no time for ` +
        `a second sweep: timeoutSeconds without the last ${RESERVE_SECONDS}`,
      when: ({ value }) => sweepTimes.safeParse(value).success,
    },
  )
  .superRefine(
    (stage, context) => {
      for (const { path, message } of topicProblems(stage)) {
        context.addIssue({ code: 'custom', path, message });
      }
    },
    { when: ({ value }) => typeof value === 'object' && value !== null },
  );

const configSchema = z
  .record(
    matching(
      /^[a-z][a-z0-9-]{0,19}$/,
      'a stage name of at most 20 lower-case letters, digits and -',
    ),
    stageSchema,
    { error: 'an object with one entry per stage' },
  )
  .refine((stages) => Object.keys(stages).length > 0, { error: 'at least one stage' });

/** What an operator may set for one stage, checked, with defaults filled in. */
export type StageConfig = Readonly<z.output<typeof stageSchema>>;

/**
 * Checks the `notifier` context of cdk.json: an object with one entry per stage.
 *
 * @returns the stages by name.
 * @throws ConfigInvalidError listing every problem at once.
 */
export function parseConfig(notifier: unknown): Readonly<Record<string, StageConfig>> {
  const result = configSchema.safeParse(notifier);
  if (result.success) return result.data;
  const problems = new Set(result.error.issues.flatMap((issue) => describe(issue, notifier)));
  throw new ConfigInvalidError(
    `The notifier context in cdk.json is unusable:\n${[...problems].map((p) => `  ${p}`).join('\n')}`,
  );
}
