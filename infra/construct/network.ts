import { readFileSync } from 'node:fs';
import { Validations } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import type { StageConfig } from '../config/config.ts';
import { CONFIG_FOLDER } from '../config/surroundings.ts';

type NetworkConfig = Partial<Pick<StageConfig, 'environment' | 'caBundle'>>;

/** Where a function's code is on Lambda. */
const CODE_FOLDER = '/var/task';
const CA_FILE = 'ca.pem';

/**
 * The variables of the config, and the one by which Node finds the certificates. With those of a
 * proxy, only `fetch` goes through it: the clients of AWS and webhooks have agents of their own.
 */
export function networkEnvironment({ environment, caBundle }: NetworkConfig) {
  return {
    ...environment,
    ...(caBundle !== undefined && { NODE_EXTRA_CA_CERTS: `${CODE_FOLDER}/${CA_FILE}` }),
  };
}

/** The files of certificates to be put beside the code: Node reads one, at its start. */
export function certificatesOf({ caBundle }: NetworkConfig): Readonly<Record<string, string>> {
  if (caBundle === undefined) return {};
  return { [CA_FILE]: readFileSync(new URL(caBundle, CONFIG_FOLDER), 'utf8') };
}

/** Connects a function to the subnets of the config, if it has some. */
export function joinVpc(of: lambda.Function, { vpc }: Pick<StageConfig, 'vpc'>): void {
  // The L2 construct would look up the VPC in the account.
  if (vpc) (of.node.defaultChild as lambda.CfnFunction).vpcConfig = vpc;
}

/** Lets Lambda do so in the name of a function's role. */
export function allowVpc(role: iam.Role, { vpc }: Pick<StageConfig, 'vpc'>): void {
  if (vpc === undefined) return;
  const actions = [
    'AssignPrivateIpAddresses',
    'CreateNetworkInterface',
    'DeleteNetworkInterface',
    'DescribeNetworkInterfaces',
    'DescribeSubnets',
    'UnassignPrivateIpAddresses',
  ];
  role.addToPolicy(
    new iam.PolicyStatement({
      actions: actions.map((action) => `ec2:${action}`),
      resources: ['*'],
    }),
  );
  Validations.of(role).acknowledge({
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason: 'Lambda names the interfaces that it makes; no policy can name them before.',
  });
}
