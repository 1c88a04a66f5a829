import type { LocaliseError } from './problem-log.ts';

/** The request that a token endpoint refused, and its answer. */
const ANSWER = /POST \S+ was answered with (\d+)/;

/**
 * Replaces config fields and secrets in errors by flags and files of this machine.
 *
 * A run that does not send a refused token again does not know the answer to it: the last one is repeated.
 *
 * @param tokenPath the file with the refresh token.
 */
export function localiseFor(tokenPath: string): LocaliseError {
  let answer: string | undefined;
  let status: string | undefined;
  return ({ name, message, hint }) => {
    const text = message.replace(/the secret "[^"]*"/, tokenPath);
    if (name === 'RefreshTokenRejectedError') {
      const said = ANSWER.exec(text);
      if (said) [answer, status] = said;
      const cause = said || answer === undefined ? '' : `: ${answer}`;
      return { name, message: `${text}${cause}`, hint: hintFor(status, tokenPath) };
    }
    const flagHint = hint?.replaceAll('authUrl', '--auth').replaceAll('baseUrl', '--service');
    return { name, message: text, ...(flagHint !== undefined && { hint: flagHint }) };
  };
}

/** An answer 404 is about the address first. */
function hintFor(status: string | undefined, tokenPath: string): string {
  return status === '404'
    ? `Correct --auth: no token endpoint is at this address. If it is right, put a valid refresh token into ${tokenPath}, which is read again before each run.`
    : `Put a valid refresh token into ${tokenPath}, or correct --auth. The file is read again before each run.`;
}
