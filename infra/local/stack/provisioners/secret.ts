import { randomBytes } from 'node:crypto';
import { CreateSecretCommand } from '@aws-sdk/client-secrets-manager';
import * as z from 'zod';
import { noEffect, readProperties, type Provisioner } from './provisioner.ts';

const Secret = z.strictObject({
  Name: z.string().optional(),
  SecretString: z.string().optional(),
  GenerateSecretString: z.object({ PasswordLength: z.number().default(32) }).optional(),
  Description: noEffect,
  KmsKeyId: noEffect,
  Tags: noEffect,
});

/**
 * Creates an `AWS::SecretsManager::Secret`, empty unless the template sets or generates a value.
 */
export const createSecret: Provisioner = async (desired, { clients }) => {
  const { Name, SecretString, GenerateSecretString: generate } = readProperties(Secret, desired);
  const value =
    SecretString ??
    (generate &&
      randomBytes(generate.PasswordLength).toString('hex').slice(0, generate.PasswordLength));
  const answer = await clients.secretsManager.send(
    new CreateSecretCommand({ Name: Name ?? desired.logicalId, SecretString: value }),
  );
  const arn = answer.ARN ?? '';
  return { ref: arn, attributes: { Id: arn } };
};
