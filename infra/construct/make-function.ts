import { readFileSync } from 'node:fs';
import { Validations, type RemovalPolicy } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type * as iam from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { StageConfig } from '../config/config.ts';
import { CONFIG_FOLDER } from '../config/surroundings.ts';
import { codeOf, HANDLER, type Files, type FunctionName } from './function-code.ts';
import type { LargeEvents } from './large-events.ts';
import { allow, makeRole, type OwnKey } from './permissions.ts';

/** The common parts of a notifier's functions. */
export interface Parts {
  /** Name in logs, and the dimension `service` of the metrics: `sitecast-dev`. */
  readonly serviceName: string;
  readonly config: StageConfig;
  readonly table: ITable;
  readonly topic: ITopic;
  readonly largeEvents: LargeEvents;
  /** Whether data and logs outlive the stack. */
  readonly removalPolicy: RemovalPolicy;
  /** Encrypts all of it, if it is set. */
  readonly key?: OwnKey | undefined;
}

type Network = Pick<Parts['config'], 'vpc' | 'caBundle'>;

type Given = 'description' | 'role' | 'logGroup' | 'memorySize' | 'timeout' | 'environment';

export interface FunctionOptions
  extends
    Required<Pick<lambda.FunctionProps, Given>>,
    Pick<lambda.FunctionProps, 'retryAttempts' | 'maxEventAge'> {
  /** Where it calls others than AWS. Default: nowhere. */
  readonly network?: Network;
}

/** Where a function's code is on Lambda. */
const CODE_FOLDER = '/var/task';
const CA_FILE = 'ca.pem';

/** Calls that Lambda makes in the role's name to connect a function to subnets. */
const NETWORK_ACTIONS = [
  ...['ec2:AssignPrivateIpAddresses', 'ec2:CreateNetworkInterface', 'ec2:DeleteNetworkInterface'],
  ...['ec2:DescribeNetworkInterfaces', 'ec2:DescribeSubnets', 'ec2:UnassignPrivateIpAddresses'],
];

export function makeFunction(
  scope: Construct,
  id: string,
  name: FunctionName,
  { network = {}, environment, ...options }: FunctionOptions,
): lambda.Function {
  const { vpc, caBundle } = network;
  const files: Files = caBundle === undefined ? {} : { [CA_FILE]: readText(caBundle) };
  const made = new lambda.Function(scope, id, {
    ...options,
    code: codeOf(name, files),
    handler: HANDLER,
    runtime: lambda.Runtime.NODEJS_24_X,
    architecture: lambda.Architecture.ARM_64,
    environment: {
      ...environment,
      ...(caBundle !== undefined && { NODE_EXTRA_CA_CERTS: `${CODE_FOLDER}/${CA_FILE}` }),
    },
  });
  // The L2 construct would look up the VPC in the account.
  if (vpc) (made.node.defaultChild as lambda.CfnFunction).vpcConfig = vpc;
  return made;
}

/** @param path from the folder of cdk.json. */
function readText(path: string): string {
  return readFileSync(new URL(path, CONFIG_FOLDER), 'utf8');
}

/** Makes the role of a function, with its group of logs. */
export function makeFunctionRole(
  scope: Construct,
  description: string,
  { config, removalPolicy, key }: Pick<Parts, 'config' | 'removalPolicy' | 'key'>,
): { readonly role: iam.Role; readonly logGroup: LogGroup } {
  const logGroup = new LogGroup(scope, 'Logs', {
    retention: config.logRetentionDays,
    removalPolicy,
    ...(key && { encryptionKey: key.key }),
  });
  const role = makeRole(scope, 'Role', 'lambda', description);
  logGroup.grantWrite(role);
  return { role, logGroup };
}

/** Lets Lambda connect a function of this role to the subnets of the config. */
export function allowNetwork(role: iam.Role, { vpc }: Network): void {
  if (vpc === undefined) return;
  allow(role, NETWORK_ACTIONS, '*');
  Validations.of(role).acknowledge({
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason: 'Lambda names the interfaces that it makes; no policy can name them before.',
  });
}
