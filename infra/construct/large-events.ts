import { Duration, RemovalPolicy, Stack, Validations, type CfnElement } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as s3 from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { StageConfig } from '../config/config.ts';
import { applyRemovalPolicy, type OwnKey } from './permissions.ts';

export interface LargeEventsProps {
  readonly config: StageConfig;
  readonly key?: OwnKey | undefined;
}

const EVENTS = 'events/';
/** Large values of quarantined items; the table has the rest. */
const QUARANTINE = 'quarantine/';
/** Days after which events expire, unless the topic's archive replays them for longer. */
const RETENTION_DAYS = 30;

/**
 * The bucket of events too large for the topic, as `events/<id>.json`. The name of another cause
 * than `poll` is `events/<id>.<cause>.json`. Below `quarantine/` are large quarantined values,
 * which expire with the table's items and are the operator's alone. Whoever may subscribe from
 * outside the account may read events; inside, the reader's own policies decide.
 *
 * The bucket always outlives the stack: CloudFormation cannot delete a bucket with objects.
 */
export class LargeEvents extends Construct {
  readonly bucket: s3.Bucket;
  readonly #eventsArn: string;
  readonly #key: OwnKey | undefined;

  constructor(scope: Construct, id: string, { config, key }: LargeEventsProps) {
    super(scope, id);
    this.#key = key;
    const eventDays = Math.max(RETENTION_DAYS, config.archiveDays ?? 0);
    const expire = (rule: string, prefix: string, days: number): s3.LifecycleRule => ({
      id: rule,
      prefix,
      expiration: Duration.days(days),
    });
    this.bucket = new s3.Bucket(this, 'Bucket', {
      blockPublicAccess: s3.BlockPublicAccess.BLOCK_ALL,
      // The policy of a customer managed key has to name each reader of another account.
      ...(key === undefined
        ? { encryption: s3.BucketEncryption.S3_MANAGED }
        : {
            encryption: s3.BucketEncryption.KMS,
            encryptionKey: key.key,
            bucketKeyEnabled: true,
          }),
      enforceSSL: true,
      lifecycleRules: [
        expire('Expire', EVENTS, eventDays),
        expire('ExpireQuarantine', QUARANTINE, config.retentionDays),
        { id: 'AbortUploads', abortIncompleteMultipartUploadAfter: Duration.days(1) },
      ],
    });
    applyRemovalPolicy(this.bucket, RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
    this.#eventsArn = this.bucket.arnForObjects(`${EVENTS}*`);
    Validations.of(this.bucket).acknowledge({
      id: 'AwsSolutions-S1',
      reason: 'The bucket holds short-lived copies of events. A log of reads would outlive them.',
    });
    this.#allowReading(config);
  }

  /** Lets a role write events and quarantined values, and nothing else. */
  grantPut(role: iam.Role): void {
    this.#allowObjects(role, 's3:PutObject', [EVENTS, QUARANTINE]);
  }

  /** Lets a role read quarantined values, and nothing else. */
  grantReadQuarantine(role: iam.Role): void {
    this.#allowObjects(role, 's3:GetObject', [QUARANTINE]);
  }

  /** Lets a role of the stack read events, and nothing else. */
  grantReadEvents(role: iam.Role): void {
    this.#allowObjects(role, 's3:GetObject', [EVENTS]);
  }

  grantRead(grantee: iam.IGrantable): iam.Grant {
    this.#key?.key.grantDecrypt(grantee);
    return iam.Grant.addToPrincipalOrResource({
      grantee,
      actions: ['s3:GetObject'],
      resourceArns: [this.#eventsArn],
      resource: this.bucket,
    });
  }

  #allowObjects(role: iam.Role, action: string, folders: readonly string[]): void {
    const resources = folders.map((folder) => this.bucket.arnForObjects(`${folder}*`));
    role.addToPolicy(new iam.PolicyStatement({ actions: [action], resources }));
    const bucket = Stack.of(this).getLogicalId(this.bucket.node.defaultChild as CfnElement);
    for (const folder of folders) {
      Validations.of(role).acknowledge({
        id: `AwsSolutions-IAM5[Resource::<${bucket}.Arn>/${folder}*]`,
        reason: 'Each object is named after its content, which is not known before.',
      });
    }
  }

  #allowReading({ subscriberAccountIds, organisationId }: StageConfig): void {
    const allow = (sid: string, principals: iam.IPrincipal[]): void => {
      const resources = [this.#eventsArn];
      this.bucket.addToResourcePolicy(
        new iam.PolicyStatement({ sid, principals, actions: ['s3:GetObject'], resources }),
      );
    };
    const accounts = subscriberAccountIds.map((id) => new iam.AccountPrincipal(id));
    if (accounts.length > 0) allow('ReadFromAccounts', accounts);
    if (organisationId !== undefined) {
      allow('ReadFromOrganisation', [new iam.OrganizationPrincipal(organisationId)]);
    }
  }
}
