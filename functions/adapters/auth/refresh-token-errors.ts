import { RefreshTokenMissingError, RefreshTokenRejectedError } from '../../core/model/errors.ts';
import { isoTime } from '../../core/model/timestamp.ts';

/** A refresh token that was refused. */
interface Refusal {
  /** Name of its secret. */
  readonly secret: string;
  readonly refreshToken: string;
  /** Status of the answer; absent when nothing was sent. */
  readonly status: number | undefined;
  /** Address of the token endpoint. */
  readonly url: string;
  /** When it is sent again, in milliseconds since 1970. */
  readonly retryAt: number;
  /** Whether an exchange has answered with a new one. */
  readonly isReplaced: boolean;
}

/** Values that are no tokens: stored as key and value, or copied with too much around. */
const FLAWS: readonly (readonly [RegExp, string])[] = [
  [/^[{[]/, 'is JSON instead of the token alone'],
  [/^(["'`]).*\1$/s, 'has quotes around it'],
  [/[^\x21-\x7e]/, 'holds white space or a character that no token has'],
];

export function missingError(secret: string): RefreshTokenMissingError {
  const message = `The secret "${secret}" holds no refresh token yet`;
  return new RefreshTokenMissingError(message, { hint: hintToPut(secret) });
}

/** The error of a refused refresh token. It does not hold the token. */
export function refusedError(refusal: Refusal): RefreshTokenRejectedError {
  const { secret, refreshToken, status, url, retryAt, isReplaced } = refusal;
  const flaw = isReplaced
    ? 'was replaced by a new refresh token'
    : FLAWS.find(([pattern]) => pattern.test(refreshToken))?.[1];
  const reason =
    status === undefined
      ? `, and is sent again after ${isoTime(retryAt)}, or when it changes`
      : `: POST ${url} was answered with ${status}`;
  const token = `The refresh token in the secret "${secret}"${flaw ? `, which ${flaw},` : ''}`;
  return new RefreshTokenRejectedError(`${token} was refused${reason}`, {
    hint: adviceOn(refusal) + hintToPut(secret),
  });
}

function adviceOn({ isReplaced, status = 401 }: Refusal): string {
  const address =
    status === 401 || status === 403
      ? ''
      : 'Check that authUrl is the address of the token endpoint. If it is, the token is wrong. ';
  return isReplaced
    ? `Ask the provider for a refresh token that stays valid: Sitecast keeps no new one. ${address}`
    : address;
}

function hintToPut(secret: string): string {
  return (
    'Get a refresh token (API key) from the account page, write it to a file and run: ' +
    `aws secretsmanager put-secret-value --secret-id '${secret}' --secret-string file://<file>`
  );
}
