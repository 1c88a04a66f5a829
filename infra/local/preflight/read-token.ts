import { text } from 'node:stream/consumers';

/** Where the refresh token may come from. */
export interface TokenSources {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
}

/** The variable that holds the refresh token. */
export const TOKEN_VARIABLE = 'SITECAST_REFRESH_TOKEN';

/** No refresh token was given. The message tells how to give one. */
export class TokenNotGivenError extends Error {
  override readonly name = 'TokenNotGivenError';
}

/**
 * Reads the refresh token from the environment or standard input. Never from an argument, which other
 * users of the machine could read.
 *
 * @throws TokenNotGivenError when there is none.
 */
export async function readToken({ env, stdin }: TokenSources): Promise<string> {
  const given = env[TOKEN_VARIABLE] ?? (stdin.isTTY === true ? '' : await text(stdin));
  const token = given.trim();
  if (token !== '') return token;
  throw new TokenNotGivenError(
    `No refresh token was given: set ${TOKEN_VARIABLE}, or pipe it to standard input`,
  );
}
