import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { FatalError, RefreshTokenRejectedError } from '../../core/model/errors.ts';
import { summarizeError } from '../shared/aws-errors.ts';
import type { RefreshTokenSecret } from './access-token.ts';

/** Reads the refresh token from AWS Secrets Manager and caches it until a fresh read. */
export class SecretsManagerRefreshToken implements RefreshTokenSecret {
  readonly name: string;
  readonly #client: SecretsManagerClient;
  #value: string | undefined;

  /** @param secretId name or ARN of the secret. Its value is the refresh token and nothing else. */
  constructor(secretId: string, client: SecretsManagerClient) {
    this.name = secretId;
    this.#client = client;
  }

  /**
   * The trimmed refresh token. An empty value is not cached: a value that is put later is found.
   *
   * @throws RefreshTokenRejectedError also when there is no such secret.
   */
  async read({ fresh }: { readonly fresh: boolean }): Promise<string> {
    if (!fresh && this.#value !== undefined) return this.#value;
    const value = (await this.#fetch()).trim();
    this.#value = value === '' ? undefined : value;
    return value;
  }

  async #fetch(): Promise<string> {
    try {
      const get = new GetSecretValueCommand({ SecretId: this.name });
      return (await this.#client.send(get)).SecretString ?? '';
    } catch (error) {
      return this.#withoutValue(error);
    }
  }

  /** A new secret without a value counts as empty. */
  #withoutValue(error: unknown): string {
    if (!(error instanceof ResourceNotFoundException)) {
      throw new FatalError(`The secret "${this.name}" cannot be read: ${summarizeError(error)}`, {
        hint:
          'Allow the function secretsmanager:GetSecretValue on the secret, ' +
          'and kms:Decrypt on its key.',
        cause: error,
      });
    }
    if (error.message.includes('secret value')) return '';
    throw new RefreshTokenRejectedError(`There is no secret "${this.name}"`, {
      hint: 'Deploy the stack again, or name the secret of the refresh token.',
      cause: error,
    });
  }
}
