import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { describe, expect, onTestFinished, it } from 'vitest';
import type { RefreshTokenSecret } from '../../../../functions/adapters/auth/access-token.ts';
import { SecretsManagerRefreshToken } from '../../../../functions/adapters/auth/refresh-token-secret.ts';
import { FatalError } from '../../../../functions/core/model/errors.ts';
import { answerWith, inTurn, json, rejection, serve } from '../../../support/local-server.ts';

const SECRET = 'site/refresh-token';
const containing = (text: string) => expect.stringContaining(text) as string;

/** Reads the secret from a local endpoint. */
function makeSecret(endpoint: string): RefreshTokenSecret {
  const client = new SecretsManagerClient({
    endpoint,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'id', secretAccessKey: 'key' },
    maxAttempts: 1,
  });
  onTestFinished(() => {
    client.destroy();
  });
  return new SecretsManagerRefreshToken(SECRET, client);
}

describe('the refresh token in Secrets Manager', () => {
  it('is read once, without the white space around it, and again for a fresh read', async () => {
    const manager = await serve((response) =>
      json(response, 200, { Name: SECRET, SecretString: ` token-${manager.received.length}\n` }),
    );
    const secret = makeSecret(manager.url);
    expect(await secret.read({ fresh: false })).toBe('token-1');
    expect(await secret.read({ fresh: false })).toBe('token-1');
    expect(await secret.read({ fresh: true })).toBe('token-2');
    expect(await secret.read({ fresh: false })).toBe('token-2');
    expect(secret.name).toBe(SECRET);
    expect(JSON.parse(manager.received[0]?.body ?? '')).toEqual({ SecretId: SECRET });
    expect(manager.received).toHaveLength(2);
  });

  it.each([
    [
      'has no value yet',
      answerWith(400, notFound('the specified secret value for staging label: AWSCURRENT')),
    ],
    ['is blank', answerWith(200, { SecretString: ' \n' })],
  ])('is empty when the secret %s, and is requested again', async (_, answer) => {
    const manager = await serve(inTurn(answer, answerWith(200, { SecretString: 'token' })));
    const secret = makeSecret(manager.url);
    expect(await secret.read({ fresh: false })).toBe('');
    expect(await secret.read({ fresh: false })).toBe('token');
  });

  it.each([
    [
      'the secret does not exist',
      notFound('the specified secret.'),
      { name: 'RefreshTokenRejectedError', message: containing(`There is no secret "${SECRET}"`) },
    ],
    [
      'its role may not read the secret',
      { __type: 'AccessDeniedException', Message: 'not authorized' },
      {
        name: 'FatalError',
        message: containing(`"${SECRET}" cannot be read: AccessDeniedException`),
        hint: containing('secretsmanager:GetSecretValue'),
      },
    ],
  ])('rejects when %s', async (_, body, failure) => {
    const manager = await serve(answerWith(400, body));
    const error = await rejection(makeSecret(manager.url).read({ fresh: false }));
    expect(error).toBeInstanceOf(FatalError);
    expect(error).toMatchObject(failure);
  });
});

function notFound(what: string): object {
  return {
    __type: 'ResourceNotFoundException',
    Message: `Secrets Manager can't find ${what}`,
  };
}
