import type { Provisioned } from '../../../infra/local/stack/provision.ts';
import type { AwsCall } from './call-recorder.ts';

/** A question to IAM: is this action allowed on this resource? */
export interface AccessRequest {
  /** IAM's name: `sns:Publish`. */
  readonly action: string;
  /** ARN. */
  readonly resource: string;
  /** The service that uses a key in the name of the caller: `sns`. */
  readonly via?: string;
  /** The partition of a table that is read or written, where a policy asks for it. */
  readonly partition?: string;
}

const READ = ['Decrypt'];
const WRITE = ['Decrypt', 'GenerateDataKey'];

/** What the service of a call does with the key that encrypts its data, by AWS's guides. */
const KEY_ACTIONS: Readonly<Record<string, readonly string[]>> = {
  dynamodb: [...WRITE, 'DescribeKey', 'Encrypt', 'ReEncryptFrom', 'ReEncryptTo'],
  's3:PutObject': ['GenerateDataKey'],
  's3:GetObject': READ,
  secretsmanager: READ,
  sns: WRITE,
  'sqs:SendMessage': WRITE,
  'sqs:ReceiveMessage': READ,
};

/** The questions to IAM about a key, for all that it encrypts. */
export function keyRequestsOf(requests: readonly AccessRequest[], keyArn: string): AccessRequest[] {
  const asked = new Map(
    requests.flatMap(({ action }) => {
      const [via = ''] = action.split(':', 1);
      const keyActions = KEY_ACTIONS[via] ?? KEY_ACTIONS[action] ?? [];
      return keyActions.map((name) => [`${via} ${name}`, { via, action: `kms:${name}` }] as const);
    }),
  );
  return [...asked.values()].map((each) => ({ ...each, resource: keyArn }));
}

/** Operations that IAM knows by another name. All others are actions of their own. */
const AUTHORISED_AS: Readonly<Record<string, string>> = {
  'sns:PublishBatch': 'sns:Publish',
  'sqs:ChangeMessageVisibilityBatch': 'sqs:ChangeMessageVisibility',
  'sqs:DeleteMessageBatch': 'sqs:DeleteMessage',
  'sqs:SendMessageBatch': 'sqs:SendMessage',
};

/** The questions to IAM for the calls, each once. */
export function accessRequestsOf(
  calls: readonly AwsCall[],
  provisioned: Provisioned,
): AccessRequest[] {
  const requests = calls.flatMap((call) =>
    resourcesOf(call, provisioned).map((resource) => ({ action: actionOf(call), resource })),
  );
  return [...new Map(requests.map((request) => [nameOf(request), request])).values()];
}

/** For failures: `sns:Publish on arn:…`. */
export function nameOf({ action, resource, via }: AccessRequest): string {
  return `${action} on ${resource}${via === undefined ? '' : ` via ${via}`}`;
}

function actionOf({ service, operation }: AwsCall): string {
  const name = `${service.toLowerCase()}:${operation}`;
  return AUTHORISED_AS[name] ?? name;
}

/** ARNs of the resources that a call names. */
function resourcesOf({ service, operation, input }: AwsCall, provisioned: Provisioned): string[] {
  const { TableName, RequestItems, QueueUrl, TopicArn, SecretId, UUID, Bucket, Key } = input;
  // Lambda knows no permission to list the mappings of one function.
  if (operation === 'ListEventSourceMappings') return ['*'];
  if (typeof Bucket === 'string') return [`${arnIn(provisioned)(Bucket)}/${String(Key)}`];
  const names = [TableName, ...Object.keys(RequestItems ?? {}), QueueUrl, TopicArn, SecretId, UUID];
  const arns = names.filter((name) => typeof name === 'string').map(arnIn(provisioned));
  if (arns.length > 0) return arns;
  throw new TypeError(
    `${service} ${operation} names its resource in none of the known parameters; it has ${Object.keys(input).join(', ')}`,
  );
}

/**
 * Tables, buckets and mappings are called by name, queues by a URL that ends in theirs, topics and
 * secrets by ARN.
 */
function arnIn({ resources }: Provisioned): (name: string) => string {
  return (name) => {
    if (name.startsWith('arn:')) return name;
    const last = name.slice(name.lastIndexOf('/') + 1);
    const named = [...resources.values()].find(
      ({ ref, attributes }) => ref === last || attributes['QueueName'] === last,
    );
    const arn = named?.attributes['Arn'] ?? named?.attributes['EventSourceMappingArn'];
    if (arn === undefined) throw new TypeError(`nothing named ${name} stands`);
    return arn;
  };
}
