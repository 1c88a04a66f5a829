import { Stack, Token } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type * as z from 'zod/mini';
import { ConfigInvalidError } from '../config/config-invalid-error.ts';
import { parseStage, type stageSchema, type StageConfig } from '../config/config.ts';

// The build declares these two types anew, without zod and with a comment on each field.

/**
 * The config of a notifier, as it would be written for a stage in cdk.json. The app's own stack
 * says in which account and region it is.
 */
export type NotifierConfig = Omit<z.input<typeof stageSchema>, 'account' | 'region'>;

/** A subscriber of the config. */
export type SubscriberConfig = NonNullable<NotifierConfig['subscribers']>[number];

/** Checks the config, with the place of the stack. */
export function checkConfig(notifier: Construct, config: object): StageConfig {
  const { path } = notifier.node;
  const { account, region } = Stack.of(notifier);
  const place = {
    ...(!Token.isUnresolved(account) && { account }),
    ...(!Token.isUnresolved(region) && { region }),
  };
  return parseStage({ ...config, ...place }, path);
}

/** @returns the name, by default that of the stack and of the construct's path in it. */
export function checkName(notifier: Construct, given?: string): string {
  let stack = Stack.of(notifier);
  // The name of a nested stack is known only at deployment.
  while (stack.nestedStackParent) stack = stack.nestedStackParent;
  // An app may deploy one construct tree under several names of stacks.
  const { path } = notifier.node;
  const name = given ?? `${stack.stackName}/${path.slice(stack.node.path.length + 1)}`;
  if (/^(?=.*\S)[ -~]{1,255}$/.test(name)) return name;
  const value = given === undefined ? 'made of its path' : JSON.stringify(name);
  throw new ConfigInvalidError(
    `serviceName of ${path} is ${value}; allowed: 1 to 255 ASCII characters`,
  );
}
