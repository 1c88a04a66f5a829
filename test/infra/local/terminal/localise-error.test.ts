import { describe, expect, it } from 'vitest';
import { localiseFor } from '../../../../infra/local/terminal/localise-error.ts';

const name = 'RefreshTokenRejectedError';
const refused = (answer: string) => ({
  name,
  message: `The refresh token in the secret "arn" was refused${answer}`,
  hint: 'Put a valid refresh token into the secret.',
});

describe('what an error says on this machine', () => {
  it('names flags in place of fields', () => {
    const error = { name: 'X', message: 'no', hint: 'Check authUrl and baseUrl.' };
    expect(localiseFor('/t')(error)).toEqual({ ...error, hint: 'Check --auth and --service.' });
  });

  it('names the file of a token that was refused', () => {
    expect(localiseFor('/t')(refused(': POST https://a.test was answered with 401'))).toEqual({
      name,
      message: 'The refresh token in /t was refused: POST https://a.test was answered with 401',
      hint: 'Put a valid refresh token into /t, or correct --auth. The file is read again before each run.',
    });
  });

  it('says the address first if nothing is there, also in later runs, which do not ask again', () => {
    const localise = localiseFor('/t');
    const first = localise(refused(': POST https://a.test was answered with 404'));
    expect(first.hint).toMatch(/^Correct --auth: no token endpoint is at this address\./);
    expect(localise(refused(', and is sent again later'))).toEqual({
      ...first,
      message:
        'The refresh token in /t was refused, and is sent again later: POST https://a.test was answered with 404',
    });
  });
});
