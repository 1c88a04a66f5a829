import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import * as z from 'zod/mini';
import { listNames } from '../../functions/settings/additional-resources.ts';
import {
  fields,
  matching,
  oneOf,
  text,
  trueOrFalse,
  whole,
} from '../../functions/settings/field-types.ts';
import { pollerConfig } from '../../functions/settings/poller-config.ts';
import { urlProblem } from '../../functions/settings/service-url.ts';
import { alarmProblems } from './alarm-problems.ts';
import { areValid } from './are-valid.ts';
import { ConfigInvalidError } from './config-invalid-error.ts';
import { describeConfigProblems } from './describe-config-problems.ts';
import { environmentProblems } from './environment-problems.ts';
import { reference } from './reference.ts';
import { subscribers } from './subscribers.ts';
import { surroundings, surroundingsProblems } from './surroundings.ts';
import { topicProblems } from './topic-problems.ts';

export { ConfigInvalidError };

const RETENTION_DAYS = Object.values(RetentionDays)
  .filter((days) => typeof days === 'number')
  .sort((a, b) => a - b);

/** Last seconds of a run, in which it finishes pages but starts no sweep. */
export const RESERVE_SECONDS = 10;

/** The form of a stage's name. */
export const STAGE_NAME = /^[a-z][a-z0-9-]{0,19}$/;

const accountId = matching(/^\d{12}$/, 'an AWS account id of 12 digits');

/** Checks the config of one stage. */
export const stageSchema = fields({
  /** Everything that the poller itself reads, see `functions/settings/poller-config.ts`. */
  ...pollerConfig.shape,
  /** AWS account to deploy to, 12 digits. Default: that of the credentials in use. */
  account: z.optional(accountId),
  /** AWS region to deploy to. Default: that of the credentials in use. */
  region: z.optional(matching(/^[a-z]{2,4}(-[a-z]+)+-\d$/, 'an AWS region such as eu-central-1')),
  /**
   * Whether the schedule starts runs. Default: true. With false nothing is polled and nothing is lost: once it
   * is true again, the first run goes on where the last one stopped.
   */
  enabled: z._default(trueOrFalse(), true),
  /**
   * Memory of each poller in MB; its share of a CPU grows with it. Default: 512. A run holds as many
   * pages as fit, with any backlog: with little memory, large entities come in small pages, and a
   * backlog takes more requests. With less than 256, a backlog could get each run killed.
   */
  memoryMb: z._default(whole(256, 10_240, 'MB'), 512),
  /**
   * Seconds after which a run is killed; it stops on its own before that. Default: 55. A run that dies keeps
   * others from its lists until then, so it is less than a minute.
   */
  timeoutSeconds: z._default(whole(30, 55, 'seconds'), 55),
  /**
   * Whether one of the account's concurrent executions is reserved for each poller. Default: false. A lease
   * keeps runs apart in any case. The reservation saves the start of a run that would only find the lease
   * held, and ensures that other functions cannot starve the poller. CloudFormation refuses it unless
   * 100 executions of the account's limit stay unreserved; new accounts have a limit of 10.
   */
  reserveConcurrency: z._default(trueOrFalse(), false),
  /** Whether AWS is called at its FIPS endpoints. Default: false. Not every region has them. */
  useFipsEndpoints: z._default(trueOrFalse(), false),
  /** Whether AWS is called at its dual-stack endpoints (IPv6 and IPv4). Default: false. */
  useDualStackEndpoints: z._default(trueOrFalse(), false),
  /** Days that logs are kept. Default: 30. 9999: forever. */
  logRetentionDays: z._default(
    z.literal(RETENTION_DAYS, { error: `one of ${RETENTION_DAYS.join(', ')} (days)` }),
    RetentionDays.ONE_MONTH,
  ),
  /** The least important log entries that are written. Default: INFO. */
  logLevel: z._default(oneOf('DEBUG', 'INFO', 'WARN', 'ERROR'), 'INFO'),
  /**
   * Address that alarms are sent to by e-mail, once its owner confirms a first e-mail. Default: nobody;
   * subscribe to the stack's alarm topic instead.
   */
  alarmEmail: z.optional(z.email({ error: 'an e-mail address' })),
  /**
   * ARN of a topic that alarms are sent to, instead of a new one. Its policy must let
   * `cloudwatch.amazonaws.com` publish, and its key too: `alias/aws/sns` does not. Default: a new topic.
   */
  alarmTopicArn: z.optional(
    reference(
      /^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w-]{1,256}$/,
      'the ARN of a standard SNS topic such as arn:aws:sns:eu-central-1:123456789012:alarms',
    ),
  ),
  /**
   * Address of your copy of docs/operations.md. The text of each alarm links its entry there, as
   * `<runbookUrl>#no-run-completed`. Default: the text names the file.
   */
  runbookUrl: z.optional(
    text('an https URL').check(
      z.superRefine((address, context) => {
        const isHttps = URL.parse(address)?.protocol === 'https:';
        const message = isHttps ? urlProblem(address) : 'an https URL';
        if (message !== undefined) context.addIssue({ code: 'custom', message });
      }),
    ),
  ),
  /** AWS organisation whose accounts may subscribe to the topic, besides the stack's own account. */
  organisationId: z.optional(
    matching(/^o-[a-z0-9]{10,32}$/, 'an AWS organisation id such as o-a1b2c3d4e5'),
  ),
  /** Additional AWS accounts that may subscribe to the topic, 12 digits each. Default: none. */
  subscriberAccountIds: z._default(z.array(accountId, { error: 'a list of AWS account ids' }), []),
  /**
   * `fifo`: the events of one entity arrive in order and, within five minutes, without repeats, but in
   * FIFO queues only. Default: standard. Changing it replaces the topic and drops its subscriptions.
   */
  topicType: z._default(oneOf('standard', 'fifo'), 'standard'),
  /**
   * Days that a FIFO topic keeps its events for replay. Default: no archive. A topic with an archive
   * cannot be deleted or replaced until this field is removed and deployed.
   */
  archiveDays: z.optional(whole(1, 365, 'days')),
  /** Subscribers that are deployed together with the topic; others may subscribe at any time. */
  subscribers: z._default(subscribers, []),
  /**
   * Whether table, secrets, undelivered events and logs outlive the stack, or the subscriber that
   * they belong to. Default: retain. The bucket of large events always stays; its events expire after 30 days,
   * or `archiveDays`.
   */
  removalPolicy: z._default(oneOf('retain', 'destroy'), 'retain'),
  /**
   * Whether DynamoDB refuses to delete the table, from the console too. Default: false. Switch it on after
   * the first deployment: one that fails could not remove the empty table again.
   */
  deletionProtection: z._default(trueOrFalse(), false),
  ...surroundings,
}).check(
  z.superRefine(
    ({ maxWaitSeconds = Infinity, everyMinutes }, context) => {
      const least = everyMinutes * 120;
      if (maxWaitSeconds >= least) return;
      const message = `at least ${least}: twice the time between two runs (everyMinutes)`;
      context.addIssue({ code: 'custom', path: ['maxWaitSeconds'], message });
    },
    { when: areValid('maxWaitSeconds', 'everyMinutes') },
  ),
  z.refine(({ requestsPerMinute, shards }) => requestsPerMinute >= shards, {
    path: ['requestsPerMinute'],
    error: 'at least one for each of the shards',
    when: areValid('requestsPerMinute', 'shards'),
  }),
  z.superRefine(
    ({ pollEverySeconds = 0, timeoutSeconds }, context) => {
      const limit = timeoutSeconds - RESERVE_SECONDS;
      if (pollEverySeconds < limit) return;
      const message =
        `less than ${limit}, or a run has no time for a second sweep: ` +
        `timeoutSeconds without the last ${RESERVE_SECONDS}`;
      context.addIssue({ code: 'custom', path: ['pollEverySeconds'], message });
    },
    { when: areValid('pollEverySeconds', 'timeoutSeconds') },
  ),
  z.superRefine(
    (stage, context) => {
      for (const { path, message } of alarmProblems(stage)) {
        context.addIssue({ code: 'custom', path, message });
      }
    },
    { when: areValid('monitoring') },
  ),
  z.superRefine(
    (stage, context) => {
      for (const { path, message } of topicProblems(stage)) {
        context.addIssue({ code: 'custom', path, message });
      }
    },
    { when: areValid('topicType', 'account', 'region') },
  ),
  z.superRefine(
    (stage, context) => {
      for (const { path, message } of surroundingsProblems(stage)) {
        context.addIssue({ code: 'custom', path, message });
      }
    },
    {
      when: areValid('region', 'account', 'kmsKeyArn', 'existingTableArn', 'existingSecretArn'),
    },
  ),
  z.superRefine(
    (stage, context) => {
      for (const { path, message } of environmentProblems(stage)) {
        context.addIssue({ code: 'custom', path, message });
      }
    },
    { when: areValid('additionalResources', 'projects', 'headers', 'query', 'omit') },
  ),
  z.superRefine(
    ({ query = {}, omit = {}, additionalResources }, context) => {
      const names = listNames(additionalResources);
      const message = `entries with the names of lists: ${names.join(', ')}`;
      for (const [field, lists] of Object.entries({ query, omit })) {
        for (const name of Object.keys(lists).filter((each) => !names.includes(each))) {
          context.addIssue({ code: 'custom', path: [field, name], message });
        }
      }
    },
    { when: areValid('additionalResources', 'query', 'omit') },
  ),
);

const configSchema = z.object({
  notifier: z
    .record(
      matching(
        STAGE_NAME,
        'a stage name of at most 20 lower-case letters, digits and -, starting with a letter',
      ),
      stageSchema,
      { error: 'an object with one entry per stage' },
    )
    .check(z.refine((stages) => Object.keys(stages).length > 0, { error: 'at least one stage' })),
});

/** The config of one stage, checked, with defaults filled in. */
export type StageConfig = Readonly<z.output<typeof stageSchema>>;

/**
 * Checks the `notifier` context of cdk.json: an object with one entry per stage.
 *
 * @returns the stages by name.
 * @throws ConfigInvalidError listing every problem at once.
 */
export function parseConfig(notifier: unknown): Readonly<Record<string, StageConfig>> {
  const [field] = fieldsWithoutStage(notifier);
  if (field !== undefined) {
    throw new ConfigInvalidError(
      'The notifier context is invalid:\n' +
        `  notifier.${field} is a field of a stage, not a stage; put the fields under the stage's name: notifier.prod.${field}`,
    );
  }
  const result = configSchema.safeParse({ notifier });
  if (result.success) return result.data.notifier;
  throw new ConfigInvalidError(
    `The notifier context is invalid:\n${describeConfigProblems(result.error, { notifier })}`,
  );
}

/** Fields that stand where the stages belong. */
function fieldsWithoutStage(notifier: unknown): string[] {
  const isStage = (value: unknown): boolean =>
    typeof value === 'object' && value !== null && 'baseUrl' in value;
  return Object.entries(notifier ?? {})
    .filter(([name, value]) => Object.hasOwn(stageSchema.shape, name) && !isStage(value))
    .map(([name]) => name);
}

/**
 * Checks the config of a notifier in an app of its own.
 *
 * @param config is called `config` in the message.
 * @param owner the path of the construct.
 * @throws ConfigInvalidError listing every problem at once.
 */
export function parseStage(config: unknown, owner: string): StageConfig {
  const result = z.object({ config: stageSchema }).safeParse({ config });
  if (result.success) return result.data.config;
  throw new ConfigInvalidError(
    `The config of ${owner} is invalid:\n${describeConfigProblems(result.error, { config })}`,
  );
}
