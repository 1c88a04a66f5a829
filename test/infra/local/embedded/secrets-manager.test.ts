import {
  CreateSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LocalServer } from '../../../../infra/local/embedded/http-server.ts';
import { startSecretsManager } from '../../../../infra/local/embedded/secrets-manager.ts';

let server: LocalServer;
let client: SecretsManagerClient;

beforeAll(async () => {
  server = await startSecretsManager();
  client = new SecretsManagerClient({
    endpoint: server.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'x', secretAccessKey: 'x' },
  });
});

afterAll(async () => {
  client.destroy();
  await server.close();
});

async function createSecret(name: string, value?: string): Promise<string> {
  const answer = await client.send(new CreateSecretCommand({ Name: name, SecretString: value }));
  return answer.ARN ?? '';
}

const readSecret = (SecretId: string) => client.send(new GetSecretValueCommand({ SecretId }));
const putSecret = (SecretId: string, SecretString?: string) =>
  client.send(new PutSecretValueCommand({ SecretId, SecretString }));

describe('the Secrets Manager endpoint, called by the SDK', () => {
  it('has no value for a secret that was created empty', async () => {
    await expect(readSecret(await createSecret('empty'))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
      message:
        "Secrets Manager can't find the specified secret value for staging label: AWSCURRENT",
    });
  });

  it('returns the value that was put last', async () => {
    const arn = await createSecret('token', 'first');
    const first = await readSecret(arn);
    expect(first).toMatchObject({ ARN: arn, Name: 'token', SecretString: 'first' });
    await putSecret(arn, 'second');
    const second = await readSecret(arn);
    expect(second).toMatchObject({ SecretString: 'second', VersionStages: ['AWSCURRENT'] });
    expect(second.VersionId).not.toBe(first.VersionId);
  });

  it('keeps the previous version', async () => {
    const arn = await createSecret('rotated', 'first');
    const previous = () =>
      client.send(new GetSecretValueCommand({ SecretId: arn, VersionStage: 'AWSPREVIOUS' }));
    await expect(previous()).rejects.toThrow('staging label: AWSPREVIOUS');
    await putSecret(arn, 'second');
    expect(await readSecret(arn)).toMatchObject({ SecretString: 'second' });
    expect(await previous()).toMatchObject({ SecretString: 'first' });
  });

  it('finds a secret by name, by ARN and by ARN without its random end', async () => {
    const arn = await createSecret('by/name', 'value');
    for (const id of ['by/name', arn, arn.slice(0, -7)]) {
      expect(await readSecret(id)).toMatchObject({ SecretString: 'value' });
    }
  });

  it.each([
    ['read', () => readSecret('nobody')],
    ['put', () => putSecret('nobody', 'x')],
  ])('does not %s a secret that was never created', async (_, call) => {
    await expect(call()).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
      message: "Secrets Manager can't find the specified secret.",
    });
  });

  it('refuses to create a secret twice', async () => {
    await createSecret('twice');
    await expect(createSecret('twice')).rejects.toMatchObject({
      name: 'ResourceExistsException',
      message: 'The secret twice already exists.',
    });
  });

  it('names the field that is missing', async () => {
    await createSecret('incomplete');
    await expect(putSecret('incomplete')).rejects.toMatchObject({
      name: 'InvalidParameterException',
      message: expect.stringContaining('SecretString') as string,
    });
  });
});
