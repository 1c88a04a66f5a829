import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  parseSigningSecret,
  SecretsManagerSigningSecrets,
} from '../../../../functions/adapters/auth/signing-secret.ts';
import { json, rejection, serve, type Received } from '../../../support/local-server.ts';

const HOUR = 3_600_000;
const SECRET = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:hook-a1b2c3';
const base64 = (bytes: number, fill = 'k') => Buffer.alloc(bytes, fill).toString('base64');
const secretOf = (fill: string) => `whsec_${base64(24, fill)}`;

describe('a signing secret', () => {
  it.each([
    ['a text', `whsec_${base64(24)}`, 24],
    ['without padding', `whsec_${base64(25).replaceAll('=', '')}`, 25],
    ['what the stack makes', JSON.stringify({ prefix: 'whsec_', key: 'A1b2'.repeat(8) }), 24],
  ])('may be %s', (_, text, bytes) => {
    expect(parseSigningSecret(text)).toHaveLength(bytes);
  });

  it.each([
    ...['', 'secret', `whsec-${base64(24)}`, `whsec_${base64(23)}`, `whsec_${base64(65)}`],
    ...['whsec_not base64 at all, but quite long', `whsec_${base64(24)}A`, '{', '{}', '[]', 'null'],
    ...[JSON.stringify({ prefix: 'whsec_', key: 'short' }), JSON.stringify({ key: base64(24) })],
  ])('is not %s', (text) => {
    expect(parseSigningSecret(text)).toBeUndefined();
  });
});

/** A secret whose versions are these, made at this time. */
async function makeSecrets(versions: Record<string, string>, madeAt = 0) {
  let now = madeAt;
  const manager = await serve((response, { body }: Received) => {
    const { VersionStage } = JSON.parse(body) as { VersionStage: string };
    const SecretString = versions[VersionStage];
    if (SecretString === undefined) {
      const message = "Secrets Manager can't find the specified secret value";
      return json(response, 400, { __type: 'ResourceNotFoundException', message });
    }
    return json(response, 200, { SecretString, CreatedDate: madeAt / 1000 });
  });
  const credentials = { accessKeyId: 'id', secretAccessKey: 'key' };
  const region = 'eu-central-1';
  const client = new SecretsManagerClient({
    endpoint: manager.url,
    region,
    credentials,
    maxAttempts: 1,
  });
  onTestFinished(() => {
    client.destroy();
  });
  const secrets = new SecretsManagerSigningSecrets({ client, secretId: SECRET, now: () => now });
  return {
    versions,
    received: manager.received,
    /** First letters of the keys after a while. */
    async readAfter(ms: number): Promise<string> {
      now += ms;
      return (await secrets.read()).map((key) => String.fromCharCode(key[0] ?? 0)).join('');
    },
  };
}

describe('while a secret rotates', () => {
  const BOTH = { AWSCURRENT: secretOf('n'), AWSPREVIOUS: secretOf('o') };

  it('the previous one signs as well, for 24 hours', async () => {
    const secrets = await makeSecrets(BOTH, 1_800_000_000_000);
    expect(await secrets.readAfter(0)).toBe('no');
    expect(await secrets.readAfter(24 * HOUR - 1)).toBe('no');
    expect(await secrets.readAfter(300_000)).toBe('n');
  });

  it('versions are read again after five minutes', async () => {
    const secrets = await makeSecrets({ AWSCURRENT: secretOf('a') });
    expect(await secrets.readAfter(0)).toBe('a');
    secrets.versions['AWSCURRENT'] = secretOf('b');
    expect(await secrets.readAfter(299_999)).toBe('a');
    expect(await secrets.readAfter(1)).toBe('b');
    expect(secrets.received).toHaveLength(4);
  });
});

it.each([
  ['is nothing of the kind', { AWSCURRENT: 'hunter2-hunter2-hunter2' }, 'is not a signing secret.'],
  ['has no value', {}, 'cannot be read: ResourceNotFoundException'],
])('a secret that %s is named, and its value is not', async (_, versions, expected) => {
  const secrets = await makeSecrets(versions);
  const error = await rejection(secrets.readAfter(0));
  expect(error).toMatchObject({
    name: 'FatalError',
    message: expect.stringContaining(`The secret "${SECRET}" ${expected}`) as string,
  });
  expect(`${JSON.stringify(error)}${String(error)}`).not.toContain('hunter2');
});
