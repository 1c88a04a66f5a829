import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import * as z from 'zod/mini';
import {
  fields,
  matching,
  oneOf,
  trueOrFalse,
  whole,
} from '../../functions/settings/field-types.ts';
import { pollerConfig } from '../../functions/settings/poller-config.ts';
import { httpsUrl } from '../../functions/settings/service-url.ts';
import { subscribers } from './subscribers.ts';
import { reference, surroundings } from './surroundings.ts';

const RETENTION_DAYS = Object.values(RetentionDays)
  .filter((days) => typeof days === 'number')
  .sort((a, b) => a - b);

const accountId = matching(/^\d{12}$/, 'an AWS account id of 12 digits');

/** The fields of a stage, each checked for itself. */
export const stageFields = fields({
  /** Everything that the poller itself reads, see `functions/settings/poller-config.ts`. */
  ...pollerConfig.shape,
  /** AWS account to deploy to, 12 digits. Default: that of the credentials in use. */
  account: z.optional(accountId),
  /** AWS region to deploy to. Default: that of the credentials in use. */
  region: z.optional(matching(/^[a-z]{2,4}(-[a-z]+)+-\d$/, 'an AWS region such as eu-central-1')),
  /**
   * Whether the schedule starts runs. Default: true. With false nothing is polled and nothing is
   * lost: once it is true again, the first run goes on where the last one stopped.
   */
  enabled: z._default(trueOrFalse(), true),
  /**
   * Memory of each poller in MB; its share of a CPU grows with it. Default: 512. With little
   * memory, large entities come in small pages, and a backlog takes more requests.
   */
  memoryMb: z._default(whole(256, 10_240, 'MB'), 512),
  /**
   * Seconds after which a run is killed; it stops on its own before that. Default: 55. A run that
   * dies keeps others from its lists until then, so it is less than a minute.
   */
  timeoutSeconds: z._default(whole(30, 55, 'seconds'), 55),
  /** Days that logs are kept. Default: 30. 9999: forever. */
  logRetentionDays: z._default(
    z.literal(RETENTION_DAYS, { error: `one of ${RETENTION_DAYS.join(', ')} (days)` }),
    RetentionDays.ONE_MONTH,
  ),
  /** The least important log entries that are written. Default: INFO. */
  logLevel: z._default(oneOf('DEBUG', 'INFO', 'WARN', 'ERROR'), 'INFO'),
  /**
   * Address that alarms are sent to by e-mail, once its owner confirms a first e-mail. Default:
   * nobody; subscribe to the stack's alarm topic instead.
   */
  alarmEmail: z.optional(z.email({ error: 'an e-mail address' })),
  /**
   * ARN of a topic that alarms are sent to, instead of a new one. Its policy must let
   * `cloudwatch.amazonaws.com` publish, and its key too: `alias/aws/sns` does not. Default: a new
   * topic.
   */
  alarmTopicArn: z.optional(
    reference(
      /^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w-]{1,256}$/,
      'the ARN of a standard SNS topic such as arn:aws:sns:eu-central-1:123456789012:alarms',
    ),
  ),
  /**
   * Address of your copy of docs/runbook.md. The text of each alarm links its entry there, as
   * `<runbookUrl>#no-run-completed`. Default: the text names the file.
   */
  runbookUrl: z.optional(httpsUrl('an https URL')),
  /**
   * AWS organisation whose accounts may subscribe to the topic, besides the stack's own account.
   */
  organisationId: z.optional(
    matching(/^o-[a-z0-9]{10,32}$/, 'an AWS organisation id such as o-a1b2c3d4e5'),
  ),
  /** Additional AWS accounts that may subscribe to the topic, 12 digits each. Default: none. */
  subscriberAccountIds: z._default(z.array(accountId, { error: 'a list of AWS account ids' }), []),
  /**
   * `fifo`: the events of one entity arrive in order and, within five minutes, without repeats, but
   * in FIFO queues only. Default: standard. Changing it replaces the topic and drops its
   * subscriptions.
   */
  topicType: z._default(oneOf('standard', 'fifo'), 'standard'),
  /**
   * Days that a FIFO topic keeps its events for replay. Default: no archive. A topic with an
   * archive cannot be deleted or replaced until this field is removed and deployed.
   */
  archiveDays: z.optional(whole(1, 365, 'days')),
  /** Subscribers that are deployed together with the topic; others may subscribe at any time. */
  subscribers: z._default(subscribers, []),
  /**
   * Whether table, secrets, undelivered events and logs outlive the stack, or the subscriber that
   * they belong to. Default: retain. The bucket of large events always stays; its events expire
   * after 30 days, or `archiveDays`.
   */
  removalPolicy: z._default(oneOf('retain', 'destroy'), 'retain'),
  /**
   * Whether DynamoDB refuses to delete the table, from the console too. Default: false. Switch it
   * on after the first deployment: one that fails could not remove the empty table again.
   */
  deletionProtection: z._default(trueOrFalse(), false),
  ...surroundings,
});

/** The config of one stage, checked, with defaults filled in. */
export type StageConfig = Readonly<z.output<typeof stageFields>>;
