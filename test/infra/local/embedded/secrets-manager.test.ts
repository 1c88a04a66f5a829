import {
  CreateSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
} from '@aws-sdk/client-secrets-manager';
import { expect, it } from 'vitest';
import { startClients } from '../../../support/embedded.ts';

it('keeps the current value of a secret and the previous one, by name and by ARN', async () => {
  const { secretsManager } = await startClients();
  const { ARN = '' } = await secretsManager.send(new CreateSecretCommand({ Name: 'token' }));
  const read = async (SecretId: string, VersionStage?: string) => {
    const get = new GetSecretValueCommand({ SecretId, VersionStage });
    return (await secretsManager.send(get)).SecretString;
  };
  await expect(read(ARN)).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  await expect(read('unknown')).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  for (const SecretString of ['one', 'two', 'three']) {
    await secretsManager.send(new PutSecretValueCommand({ SecretId: ARN, SecretString }));
  }
  expect(await read(ARN)).toBe('three');
  expect(await read('token')).toBe('three');
  expect(await read(ARN.slice(0, -'-xxxxxx'.length))).toBe('three');
  expect(await read(ARN, 'AWSPREVIOUS')).toBe('two');
});
