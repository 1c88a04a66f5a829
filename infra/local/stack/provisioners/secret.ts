import { CreateSecretCommand } from '@aws-sdk/client-secrets-manager';
import * as z from 'zod';
import { GenerateSecretString, generateSecretString } from './generate-secret-string.ts';
import { noEffect, readProperties, type Provisioner } from './provisioner.ts';

const Secret = z.strictObject({
  Name: z.string().optional(),
  SecretString: z.string().optional(),
  GenerateSecretString: GenerateSecretString.optional(),
  Description: noEffect,
  KmsKeyId: noEffect,
  Tags: noEffect,
});

/**
 * Creates an `AWS::SecretsManager::Secret`, empty unless the template sets or generates a value.
 */
export const createSecret: Provisioner = async (desired, { clients }) => {
  const { Name, SecretString, GenerateSecretString: generate } = readProperties(Secret, desired);
  const value = SecretString ?? (generate && generateSecretString(generate));
  const answer = await clients.secretsManager.send(
    new CreateSecretCommand({ Name: Name ?? desired.logicalId, SecretString: value }),
  );
  const arn = answer.ARN ?? '';
  return { ref: arn, attributes: { Id: arn } };
};
