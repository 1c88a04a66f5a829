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

/** All that CloudWatch Logs takes. 9999: forever. */
const RETENTION_DAYS = [
  ...[1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731],
  ...[1096, 1827, 2192, 2557, 2922, 3288, 3653, 9999],
];

const accountId = matching(/^\d{12}$/, 'an AWS account id of 12 digits');

/** The fields of a stage, each checked for itself. */
export const stageFields = fields({
  /** Everything that the poller itself reads, see `functions/settings/poller-config.ts`. */
  ...pollerConfig.shape,
  /** AWS account to deploy to. Default: that of the credentials. */
  account: z.optional(accountId),
  /** AWS region to deploy to, such as eu-central-1. Default: that of the credentials. */
  region: z.optional(matching(/^[a-z]{2,4}(-[a-z]+)+-\d$/, 'an AWS region such as eu-central-1')),
  /**
   * Whether the schedule starts runs. Default: true. Once it is true again, the first run continues
   * where the last one stopped.
   */
  enabled: z._default(trueOrFalse(), true),
  /**
   * Memory of each poller in MB; its share of a CPU grows with it. Default: 512.
   */
  memoryMb: z._default(whole(256, 10_240, 'MB'), 512),
  /**
   * Seconds after which a run is killed; it stops reading ten seconds before. Default: 55. After a
   * crash no other run has the lists until then.
   */
  timeoutSeconds: z._default(whole(30, 55, 'seconds'), 55),
  /** Days that logs are kept: a period of CloudWatch, up to 3653, or 9999 for ever. Default: 30. */
  logRetentionDays: z._default(
    z.literal(RETENTION_DAYS, { error: `one of ${RETENTION_DAYS.join(', ')} (days)` }),
    30,
  ),
  /** The least level that is logged: `INFO`, `WARN` or `ERROR`. Default: INFO. */
  logLevel: z._default(oneOf('INFO', 'WARN', 'ERROR'), 'INFO'),
  /**
   * E-mail address of alarms; its owner confirms a first e-mail. Default: none. Others may
   * subscribe to the stack's alarm topic.
   */
  alarmEmail: z.optional(z.email({ error: 'an e-mail address' })),
  /**
   * ARN of an SNS topic for alarms. Default: a new topic. Its policy must let
   * `cloudwatch.amazonaws.com` publish, and its key too: `alias/aws/sns` does not.
   */
  alarmTopicArn: z.optional(
    reference(
      /^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w-]{1,256}$/,
      'the ARN of a standard SNS topic such as arn:aws:sns:eu-central-1:123456789012:alarms',
    ),
  ),
  /**
   * Address of your copy of docs/runbook.md, for the links in alarms:
   * `<runbookUrl>#no-run-completed`. Default: none.
   */
  runbookUrl: z.optional(httpsUrl('an https URL')),
  /** AWS organisation whose accounts may subscribe to the topic. Default: none. */
  organisationId: z.optional(
    matching(/^o-[a-z0-9]{10,32}$/, 'an AWS organisation id such as o-a1b2c3d4e5'),
  ),
  /** AWS accounts that may subscribe to the topic, besides the stack's own. Default: none. */
  subscriberAccountIds: z._default(z.array(accountId, { error: 'a list of AWS account ids' }), []),
  /**
   * With `fifo` the events of an entity arrive in order and, within five minutes, without repeats,
   * in FIFO queues only. Default: standard. A change makes a new topic without subscriptions.
   */
  topicType: z._default(oneOf('standard', 'fifo'), 'standard'),
  /**
   * Days that a FIFO topic keeps its events for replay. Default: no archive. To delete or replace
   * the topic, remove this field and deploy first.
   */
  archiveDays: z.optional(whole(1, 365, 'days')),
  /** Subscribers that are deployed with the topic, see below; others may subscribe by hand. */
  subscribers: z._default(subscribers, []),
  /**
   * Whether table, secrets, undelivered events and logs outlive their stack or subscriber
   * (`retain`) or not (`destroy`). Default: retain. The bucket of large events always stays.
   */
  removalPolicy: z._default(oneOf('retain', 'destroy'), 'retain'),
  /**
   * Whether DynamoDB refuses to delete the table. Default: false. Set it after the first
   * deployment: a failed one could not be rolled back.
   */
  deletionProtection: z._default(trueOrFalse(), false),
  ...surroundings,
});

/** The config of one stage, checked, with defaults filled in. */
export type StageConfig = Readonly<z.output<typeof stageFields>>;
