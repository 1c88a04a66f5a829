import {
  CreateSecretCommand,
  DescribeSecretCommand,
  GetSecretValueCommand,
  ListSecretVersionIdsCommand,
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
    expect(second.CreatedDate).toBeInstanceOf(Date);
  });

  it('keeps the previous version, and no older one', async () => {
    const arn = await createSecret('rotated', 'first');
    const { VersionId: first } = await readSecret(arn);
    const stage = (VersionStage: string) =>
      client.send(new GetSecretValueCommand({ SecretId: arn, VersionStage }));
    await expect(stage('AWSPREVIOUS')).rejects.toThrow('staging label: AWSPREVIOUS');
    const { VersionId: second, VersionStages } = await putSecret(arn, 'second');
    expect(VersionStages).toEqual(['AWSCURRENT']);
    expect(await stage('AWSCURRENT')).toMatchObject({ SecretString: 'second', VersionId: second });
    expect(await stage('AWSPREVIOUS')).toMatchObject({ SecretString: 'first', VersionId: first });
    const { VersionId: third = '' } = await putSecret(arn, 'third');
    expect(await stage('AWSPREVIOUS')).toMatchObject({ VersionStages: ['AWSPREVIOUS'] });
    const described = await client.send(new DescribeSecretCommand({ SecretId: arn }));
    expect(described.VersionIdsToStages).toEqual({
      [third]: ['AWSCURRENT'],
      [second ?? '']: ['AWSPREVIOUS'],
    });
    const { Versions } = await client.send(new ListSecretVersionIdsCommand({ SecretId: arn }));
    expect(Versions?.map(({ VersionId }) => VersionId)).toEqual([second, third]);
  });

  it('reads a version by its id, and refuses an id that is unknown or of another stage', async () => {
    const arn = await createSecret('by-version', 'first');
    const { VersionId } = await readSecret(arn);
    await putSecret(arn, 'second');
    const read = (input: object) =>
      client.send(new GetSecretValueCommand({ SecretId: arn, ...input }));
    expect(await read({ VersionId })).toMatchObject({ SecretString: 'first' });
    const other = { VersionId, VersionStage: 'AWSCURRENT' };
    await expect(read(other)).rejects.toMatchObject({ name: 'InvalidRequestException' });
    const unknown = 'x'.repeat(36);
    await expect(read({ VersionId: unknown })).rejects.toThrow(`VersionId: ${unknown}`);
  });

  it('puts a value once for one request token', async () => {
    const arn = await createSecret('once', 'first');
    const put = (SecretString: string) =>
      client.send(
        new PutSecretValueCommand({
          SecretId: arn,
          SecretString,
          ClientRequestToken: 't'.repeat(32),
        }),
      );
    expect(await put('second')).toEqual(expect.objectContaining({ VersionId: 't'.repeat(32) }));
    await put('second');
    const previous = new GetSecretValueCommand({ SecretId: arn, VersionStage: 'AWSPREVIOUS' });
    expect(await client.send(previous)).toMatchObject({ SecretString: 'first' });
    await expect(put('third')).rejects.toMatchObject({ name: 'ResourceExistsException' });
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
      message: 'The operation failed because the secret twice already exists.',
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
