import { Duration, RemovalPolicy, Stack, Validations, type CfnElement } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as s3 from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { StageConfig } from '../config/config.ts';

/** What {@link LargeEvents} are made from. */
type LargeEventsConfig = Pick<
  StageConfig,
  'archiveDays' | 'organisationId' | 'subscriberAccountIds'
>;

/** The part of the bucket that events are put into. */
const EVENTS = 'events/';
/** Days that a subscriber has to read an event, unless the topic's archive hands it out for longer. */
const KEPT_DAYS = 30;

/**
 * Where events lie that are too large for the topic, each as `events/<id>.json`. Whoever may subscribe
 * from outside the account may read them; in the account it is a matter of the reader's own policies.
 *
 * The bucket stays when the stack goes, whatever the config says: CloudFormation cannot delete one that
 * holds something. What is in it is deleted in any case: after 30 days, or when the topic's archive
 * forgets the event, if that is later.
 */
export class LargeEvents extends Construct {
  readonly bucket: s3.Bucket;
  /** ARN of all events in the bucket, with a wildcard. */
  readonly #eventsArn: string;

  constructor(scope: Construct, id: string, config: LargeEventsConfig) {
    super(scope, id);
    const keptDays = Math.max(KEPT_DAYS, config.archiveDays ?? 0);
    this.bucket = new s3.Bucket(this, 'Bucket', {
      blockPublicAccess: s3.BlockPublicAccess.BLOCK_ALL,
      // A key of our own would have to name each reader.
      encryption: s3.BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      lifecycleRules: [
        { id: 'Expire', prefix: EVENTS, expiration: Duration.days(keptDays) },
        { id: 'AbortUploads', abortIncompleteMultipartUploadAfter: Duration.days(1) },
      ],
      removalPolicy: RemovalPolicy.RETAIN,
    });
    this.#eventsArn = this.bucket.arnForObjects(`${EVENTS}*`);
    Validations.of(this.bucket).acknowledge({
      id: 'AwsSolutions-S1',
      reason:
        'Copies of events for a while; who may read them is told by policies. A log of reads would outlive them, and needs a bucket of its own.',
    });
    this.#allowReading(config);
  }

  /** Lets a role put events, and nothing else. */
  grantPut(role: iam.Role): void {
    const statement = { actions: ['s3:PutObject'], resources: [this.#eventsArn] };
    role.addToPolicy(new iam.PolicyStatement(statement));
    const bucket = Stack.of(this).getLogicalId(this.bucket.node.defaultChild as CfnElement);
    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM5[Resource::<${bucket}.Arn>/${EVENTS}*]`,
      reason: 'Each large event is an object with a name of its own, which nobody knows before.',
    });
  }

  /** Lets somebody read large events. */
  grantRead(grantee: iam.IGrantable): iam.Grant {
    return iam.Grant.addToPrincipalOrResource({
      grantee,
      actions: ['s3:GetObject'],
      resourceArns: [this.#eventsArn],
      resource: this.bucket,
    });
  }

  #allowReading(config: LargeEventsConfig): void {
    const allow = (sid: string, principals: iam.IPrincipal[]): void => {
      const statement = {
        sid,
        principals,
        actions: ['s3:GetObject'],
        resources: [this.#eventsArn],
      };
      this.bucket.addToResourcePolicy(new iam.PolicyStatement(statement));
    };
    const accounts = config.subscriberAccountIds.map((id) => new iam.AccountPrincipal(id));
    if (accounts.length > 0) allow('ReadFromAccounts', accounts);
    if (config.organisationId !== undefined) {
      allow('ReadFromOrganisation', [new iam.OrganizationPrincipal(config.organisationId)]);
    }
  }
}
