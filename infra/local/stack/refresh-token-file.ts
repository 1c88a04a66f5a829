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
  let content: string;
  try {
    content = readFileSync(path, 'utf8').trim();
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    throw new TokenFileError(
      `${JSON.stringify(path)} (${code}); allowed: a readable file that holds the refresh token`,
    );
  }
  if (content === '') {
    throw new TokenFileError(
      `${JSON.stringify(path)}, which is empty; allowed: a file that holds the refresh token`,
    );
  }
  if (!/^[\x21-\x7e]+$/.test(content)) {
    throw new TokenFileError(
      `${JSON.stringify(path)}; allowed: a file with the refresh token and nothing else, no spaces and on one line`,
    );
  }
  return content;
}
