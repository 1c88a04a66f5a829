import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  type GetSecretValueResponse,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { FatalError } from '../../core/model/errors.ts';
import type { SigningSecrets } from '../../deliver/ports.ts';
import { summarizeError } from '../shared/aws-errors.ts';

export interface SigningSecretOptions {
  /** Name or ARN of the secret. */
  readonly secretId: string;
  readonly client: SecretsManagerClient;
  /** Milliseconds since 1970; `Date.now` by default. */
  readonly now?: () => number;
}

const CACHE_MS = 300_000;
/** After this time endpoints know the new secret. */
const ROTATION_MS = 24 * 3_600_000;
const PREFIX = 'whsec_';
const MIN_BYTES = 24;
const MAX_BYTES = 64;

/**
 * Reads the secret of a webhook from AWS Secrets Manager: the current version, and for 24 hours
 * after that was made also the previous one. Keeps both for five minutes.
 */
export class SecretsManagerSigningSecrets implements SigningSecrets {
  readonly #options: Required<SigningSecretOptions>;
  #kept: { readonly keys: readonly Uint8Array[]; readonly until: number } | undefined;

  constructor(options: SigningSecretOptions) {
    this.#options = { now: Date.now, ...options };
  }

  async read(): Promise<readonly Uint8Array[]> {
    const now = this.#options.now();
    if (this.#kept === undefined || now >= this.#kept.until) {
      this.#kept = { keys: await this.#fetch(now), until: now + CACHE_MS };
    }
    return this.#kept.keys;
  }

  async #fetch(now: number): Promise<Uint8Array[]> {
    const current = await this.#version('AWSCURRENT');
    const key = parseSigningSecret(current?.SecretString);
    if (key === undefined) throw invalidError(this.#options.secretId);
    const isRotating = now < (current?.CreatedDate?.getTime() ?? 0) + ROTATION_MS;
    const previous = isRotating ? await this.#version('AWSPREVIOUS') : undefined;
    const oldKey = parseSigningSecret(previous?.SecretString);
    return oldKey === undefined ? [key] : [key, oldKey];
  }

  /** @returns undefined if there is no previous version. */
  async #version(VersionStage: string): Promise<GetSecretValueResponse | undefined> {
    const { client, secretId: SecretId } = this.#options;
    try {
      return await client.send(new GetSecretValueCommand({ SecretId, VersionStage }));
    } catch (error) {
      const isAbsent = error instanceof ResourceNotFoundException;
      if (isAbsent && VersionStage === 'AWSPREVIOUS') return undefined;
      throw new FatalError(`The secret "${SecretId}" cannot be read: ${summarizeError(error)}`, {
        hint: 'Check that the secret exists and has a value, and that the function may read it.',
        cause: error,
      });
    }
  }
}

/**
 * Reads the key of a signing secret: `whsec_` and base64 of 24 to 64 bytes, as a text or in the two
 * fields of the JSON that the stack makes.
 *
 * @returns undefined if the secret is anything else.
 */
export function parseSigningSecret(text = ''): Uint8Array | undefined {
  const secret = joined(text.trim());
  const [, base64 = ''] = /^whsec_([A-Za-z\d+/]+={0,2})$/.exec(secret) ?? [];
  const key = Buffer.from(base64, 'base64');
  const isWhole = key.toString('base64').replace(/=+$/, '') === base64.replace(/=+$/, '');
  return isWhole && key.length >= MIN_BYTES && key.length <= MAX_BYTES ? key : undefined;
}

function joined(text: string): string {
  if (!text.startsWith('{')) return text;
  try {
    const { prefix, key } = JSON.parse(text) as Record<string, unknown>;
    return `${String(prefix)}${String(key)}`;
  } catch {
    return '';
  }
}

function invalidError(secretId: string): FatalError {
  return new FatalError(`The secret "${secretId}" is not a signing secret.`, {
    hint:
      `Put "${PREFIX}" and the base64 of ${MIN_BYTES} to ${MAX_BYTES} random bytes: ` +
      `printf ${PREFIX}%s "$(openssl rand -base64 32)" | aws secretsmanager put-secret-value ` +
      `--secret-id ${secretId} --secret-string file:///dev/stdin`,
  });
}
