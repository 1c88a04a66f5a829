import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { describe, expect, onTestFinished, it } from 'vitest';
import type { RefreshTokenSecret } from '../../../../functions/adapters/auth/access-token.ts';
import { SecretsManagerRefreshToken } from '../../../../functions/adapters/auth/refresh-token-secret.ts';
import { FatalError, RefreshTokenRejectedError } from '../../../../functions/core/model/errors.ts';
import { json, rejection, serve } from '../../../support/local-server.ts';

const SECRET = 'site/refresh-token';
const { signal } = new AbortController();

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
  return new SecretsManagerRefreshToken({ secretId: SECRET, client });
}

describe('the refresh token in Secrets Manager', () => {
  it('is read once, without the white space around it, and again when asked for fresh', async () => {
    const manager = await serve((response) =>
      json(response, 200, { Name: SECRET, SecretString: ` token-${manager.received.length}\n` }),
    );
    const secret = makeSecret(manager.url);
    expect(await secret.read({ fresh: false, signal })).toBe('token-1');
    expect(await secret.read({ fresh: false, signal })).toBe('token-1');
    expect(await secret.read({ fresh: true, signal })).toBe('token-2');
    expect(await secret.read({ fresh: false, signal })).toBe('token-2');
    expect(secret.name).toBe(SECRET);
    expect(JSON.parse(manager.received[0]?.body ?? '')).toEqual({ SecretId: SECRET });
    expect(manager.received).toHaveLength(2);
  });

  it.each([
    {
      when: 'has no value yet',
      status: 400,
      body: notFound('the specified secret value for staging label: AWSCURRENT'),
    },
    { when: 'is blank', status: 200, body: { SecretString: ' \n' } },
    { when: 'is binary', status: 200, body: { SecretBinary: 'AAAA' } },
  ])('is empty when the secret $when, and is looked for again', async ({ status, body }) => {
    const manager = await serve((response) => {
      if (manager.received.length === 1) json(response, status, body);
      else json(response, 200, { SecretString: 'token' });
    });
    const secret = makeSecret(manager.url);
    expect(await secret.read({ fresh: false, signal })).toBe('');
    expect(await secret.read({ fresh: false, signal })).toBe('token');
  });

  it('is RefreshTokenRejectedError when there is no such secret', async () => {
    const manager = await serve((response) =>
      json(response, 400, notFound('the specified secret.')),
    );
    const error = await rejection(makeSecret(manager.url).read({ fresh: false, signal }));
    expect(error).toBeInstanceOf(RefreshTokenRejectedError);
    expect(String(error)).toContain(`There is no secret "${SECRET}"`);
  });

  it('is a FatalError naming the secret and the reason when it may not be read', async () => {
    const manager = await serve((response) =>
      json(response, 400, { __type: 'AccessDeniedException', Message: 'not authorized' }),
    );
    const error = await rejection(makeSecret(manager.url).read({ fresh: false, signal }));
    expect(error).toBeInstanceOf(FatalError);
    expect(String(error)).toContain(`"${SECRET}" cannot be read: AccessDeniedException`);
    expect((error as FatalError).hint).toContain('secretsmanager:GetSecretValue');
  });

  it('may not be read: the error shows only the first line, since others can repeat a token', async () => {
    const manager = await serve((response) => {
      const Message = 'The signature does not match.\n\nx-amz-security-token:SESSION';
      json(response, 400, { __type: 'InvalidSignatureException', Message });
    });
    const error = await rejection(makeSecret(manager.url).read({ fresh: false, signal }));
    expect(String(error)).toContain('InvalidSignatureException: The signature does not match.');
    expect(String(error)).not.toContain('SESSION');
  });

  it('stops being read when the signal is aborted', async () => {
    const reason = new Error('over');
    const stop = new AbortController();
    const manager = await serve(() => {
      stop.abort(reason);
    });
    const read = makeSecret(manager.url).read({ fresh: false, signal: stop.signal });
    expect(await rejection(read)).toBe(reason);
  });
});

function notFound(what: string): object {
  return {
    __type: 'ResourceNotFoundException',
    Message: `Secrets Manager can't find ${what}`,
  };
}
