import { RemovalPolicy, Stack, type Resource } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as kms from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import type { StageConfig } from '../config/config.ts';

/** Makes a role that a service of AWS may assume: `lambda`. It has no permission yet. */
export function makeRole(
  scope: Construct,
  id: string,
  service: string,
  description: string,
  conditions: iam.Conditions = {},
): iam.Role {
  const assumedBy = new iam.ServicePrincipal(`${service}.amazonaws.com`, { conditions });
  return new iam.Role(scope, id, { description, assumedBy });
}

export function allow(
  role: iam.Role,
  actions: readonly string[],
  resource: string,
  conditions: iam.Conditions = {},
): void {
  role.addToPolicy(
    new iam.PolicyStatement({ actions: [...actions], resources: [resource], conditions }),
  );
}

/** Limits a role to calls for resources of its own account. */
export function inAccount(scope: Construct): Readonly<Record<string, string>> {
  return { 'aws:SourceAccount': Stack.of(scope).account };
}

/** Calls of the key that a role needs to write to and read from a service that encrypts with it. */
const DATA_ACTIONS = ['kms:Decrypt', 'kms:GenerateDataKey'];

/** Further calls that DynamoDB makes in the name of the role that uses a table. */
const TABLE_ACTIONS = [
  ...DATA_ACTIONS,
  'kms:DescribeKey',
  'kms:Encrypt',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
];

/** The services in whose name the key may be used. */
export type KeyService = 'dynamodb' | 's3' | 'secretsmanager' | 'sns' | 'sqs';

/** The operator's own key. Its policy is theirs, too: the stack only allows its roles to use it. */
export class OwnKey extends Construct {
  readonly key: kms.IKey;

  constructor(scope: Construct, id: string, keyArn: string) {
    super(scope, id);
    this.key = kms.Key.fromKeyArn(this, 'Imported', keyArn);
  }

  /** Lets a role use the key by calls of these services, and by no call of its own. */
  grantUse(role: iam.Role, ...services: readonly KeyService[]): void {
    const others = services.filter((service) => service !== 'dynamodb');
    if (others.length < services.length) this.#allow(role, TABLE_ACTIONS, ['dynamodb']);
    if (others.length > 0) this.#allow(role, DATA_ACTIONS, others);
  }

  /** Lets a role read data that these services encrypt with the key. */
  grantRead(role: iam.Role, ...services: readonly KeyService[]): void {
    this.#allow(role, ['kms:Decrypt'], services);
  }

  #allow(role: iam.Role, actions: string[], services: readonly KeyService[]): void {
    const { region, urlSuffix } = Stack.of(this);
    const hosts = services.map((service) => `${service}.${region}.${urlSuffix}`);
    role.addToPolicy(
      new iam.PolicyStatement({
        actions,
        resources: [this.key.keyArn],
        conditions: { StringEquals: { 'kms:ViaService': hosts } },
      }),
    );
  }
}

/**
 * Retains or deletes a resource together with its resource policy. A resource that outlives its
 * policy would take requests without TLS.
 *
 * @param resource has a policy already.
 */
export function applyRemovalPolicy(resource: Resource, removalPolicy: RemovalPolicy): void {
  const policy = resource.node.findChild('Policy') as Resource;
  for (const each of [resource, policy]) each.applyRemovalPolicy(removalPolicy);
}

/** A retained resource is deleted after all if its creation is rolled back: it is empty then. */
export function removalPolicyOf({ removalPolicy }: StageConfig): RemovalPolicy {
  return removalPolicy === 'retain'
    ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
    : RemovalPolicy.DESTROY;
}
