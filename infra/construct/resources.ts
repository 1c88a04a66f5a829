import { Aws, Fn, Names, Validations } from 'aws-cdk-lib';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import * as sns from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { Parts } from './make-function.ts';
import { applyRemovalPolicy } from './permissions.ts';

/** How events may be delivered: encrypted on their way, and to machines. */
const PROTOCOLS = ['sqs', 'lambda', 'https', 'firehose'];

/**
 * Makes the topic of the events. The account may subscribe, and the accounts that the config names.
 */
export function makeTopic(
  scope: Construct,
  { config, removalPolicy }: Pick<Parts, 'config' | 'removalPolicy'>,
): sns.Topic {
  const topic = new sns.Topic(scope, 'Topic', {
    enforceSSL: true,
    // Messages are signed with SHA-256, not SHA-1.
    signatureVersion: '2',
    ...(config.topicType === 'fifo' && {
      fifo: true,
      // CloudFormation gives FIFO topics no name of their own. With the id of the stack in it, the
      // name is free for a stack that follows this one, whose topic was retained.
      topicName: `${Names.uniqueResourceName(scope, { maxLength: 200 })}-${stackUuid()}`,
      // Events are deduplicated by id: the body of a repeat differs in recordedtime.
      contentBasedDeduplication: false,
      // Only the events of one entity are ordered: the topic has no limit of 3000 a second.
      fifoThroughputScope: sns.FifoThroughputScope.MESSAGE_GROUP,
    }),
    ...(config.archiveDays !== undefined && { messageRetentionPeriodInDays: config.archiveDays }),
  });
  applyRemovalPolicy(topic, removalPolicy);
  // With the AWS managed key, neither subscribers nor publishers need a grant. The literal alias
  // makes SNS create the key in an account that has none yet; its ARN would name nothing.
  const resource = topic.node.defaultChild as sns.CfnTopic;
  resource.kmsMasterKeyId = config.kmsKeyArn ?? 'alias/aws/sns';
  allowSubscribing(topic, config);
  return topic;
}

function allowSubscribing(topic: sns.Topic, config: Parts['config']): void {
  const onSubscribe = (statement: iam.PolicyStatementProps) =>
    topic.addToResourcePolicy(
      new iam.PolicyStatement({
        actions: ['sns:Subscribe'],
        resources: [topic.topicArn],
        ...statement,
      }),
    );
  const accounts = config.subscriberAccountIds.map((id) => new iam.AccountPrincipal(id));
  onSubscribe({
    sid: 'SubscribeFromAccounts',
    principals: [new iam.AccountRootPrincipal(), ...accounts],
  });
  if (config.organisationId !== undefined) {
    const principals = [new iam.OrganizationPrincipal(config.organisationId)];
    onSubscribe({ sid: 'SubscribeFromOrganisation', principals });
  }
  onSubscribe({
    sid: 'OnlyTheseProtocols',
    effect: iam.Effect.DENY,
    principals: [new iam.StarPrincipal()],
    conditions: { StringNotEquals: { 'sns:Protocol': PROTOCOLS } },
  });
}

/** Subscribers trust the topic's messages, so nothing else in the account may publish. */
export function allowOnlyToPublish(topic: sns.Topic, role: iam.IRole): void {
  topic.addToResourcePolicy(
    new iam.PolicyStatement({
      sid: 'OnlyThePollerPublishes',
      effect: iam.Effect.DENY,
      principals: [new iam.StarPrincipal()],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { ArnNotEquals: { 'aws:PrincipalArn': role.roleArn } },
    }),
  );
}

/** The part of the stack's id that no other stack ever has. */
function stackUuid(): string {
  return Fn.select(2, Fn.split('/', Aws.STACK_ID));
}

/** Makes the table of feeds, entity states and leases, or takes the existing one. */
export function useTable(
  scope: Construct,
  { config, key, removalPolicy }: Pick<Parts, 'config' | 'key' | 'removalPolicy'>,
): dynamodb.ITable {
  if (config.existingTableArn !== undefined) {
    return dynamodb.Table.fromTableArn(scope, 'Table', config.existingTableArn);
  }
  return new dynamodb.Table(scope, 'Table', {
    partitionKey: { name: 'pk', type: dynamodb.AttributeType.STRING },
    sortKey: { name: 'sk', type: dynamodb.AttributeType.STRING },
    billingMode: dynamodb.BillingMode.PAY_PER_REQUEST,
    // The AWS managed key logs its use and needs no grants.
    ...(key === undefined
      ? { encryption: dynamodb.TableEncryption.AWS_MANAGED }
      : { encryption: dynamodb.TableEncryption.CUSTOMER_MANAGED, encryptionKey: key.key }),
    timeToLiveAttribute: 'z',
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: config.deletionProtection,
    removalPolicy,
  }) as dynamodb.ITable;
}

/** Makes the secret of the refresh token, without a value, or takes the existing one. */
export function useRefreshToken(
  scope: Construct,
  { config, removalPolicy }: Pick<Parts, 'config' | 'removalPolicy'>,
): secretsmanager.ISecret {
  const arn = config.existingSecretArn ?? makeSecret(scope, config, removalPolicy);
  return secretsmanager.Secret.fromSecretCompleteArn(scope, 'Token', arn);
}

/** @returns its ARN. */
function makeSecret(
  scope: Construct,
  { kmsKeyArn }: Parts['config'],
  removalPolicy: Parts['removalPolicy'],
): string {
  // The L2 construct would generate a value; this secret stays empty until the operator sets it.
  const secret = new secretsmanager.CfnSecret(scope, 'RefreshToken', {
    description: 'Refresh token (API key) of the Construction Project Service, as plain text',
    ...(kmsKeyArn !== undefined && { kmsKeyId: kmsKeyArn }),
  });
  secret.applyRemovalPolicy(removalPolicy);
  Validations.of(secret).acknowledge({
    id: 'AwsSolutions-SMG4',
    reason: 'The service issues refresh tokens on a web page only; nothing can rotate them.',
  });
  return secret.ref;
}
