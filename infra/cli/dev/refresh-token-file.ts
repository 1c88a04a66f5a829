import { readFileSync } from 'node:fs';

/** A file cannot be used as refresh token. The message says why and what is allowed. */
export class TokenFileError extends Error {
  override readonly name = 'TokenFileError';
}

/** A file with a refresh token, which may be replaced at any time. */
export class RefreshTokenFile {
  readonly path: string;
  #token: string;
  #problem: string | undefined;

  /** @throws TokenFileError when the file holds no token. */
  constructor(path: string) {
    this.path = path;
    this.#token = readToken(path);
  }

  get token(): string {
    return this.#token;
  }

  /**
   * Reads the file again.
   *
   * @returns the token if it has changed.
   * @throws TokenFileError when the file holds no token any more; not again until the reason changes.
   */
  readAgain(): string | undefined {
    try {
      const token = readToken(this.path);
      this.#problem = undefined;
      if (token === this.#token) return undefined;
      this.#token = token;
      return token;
    } catch (error) {
      const { message } = error as Error;
      const isKnown = message === this.#problem;
      this.#problem = message;
      if (isKnown) return undefined;
      throw error;
    }
  }
}

function readToken(path: string): string {
  const refuse = (reason: string): TokenFileError =>
    new TokenFileError(
      `${JSON.stringify(path)}${reason}; allowed: a file with the refresh token alone, on one line`,
    );
  let content: string;
  try {
    content = readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw refuse(` (${(error as NodeJS.ErrnoException).code ?? 'unreadable'})`);
  }
  if (content === '') throw refuse(', which is empty');
  if (!/^[\x21-\x7e]+$/.test(content)) throw refuse('');
  return content;
}
