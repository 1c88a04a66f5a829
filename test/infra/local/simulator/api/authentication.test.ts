import { describe, expect, it } from 'vitest';
import { readObject, sendRequest, shareService, TestService } from '../support.ts';

const text = expect.any(String) as string;

describe('authentication', () => {
  const service = shareService({ accessTokenSeconds: 300 });
  const exchange = (body: unknown) =>
    sendRequest(`${service().running.authUrl}/api_keys/jwt`, { method: 'POST', body });

  it('exchanges a refresh token for a JWT without an authorization header', async () => {
    const answer = await exchange({ api_token: service().running.refreshToken });
    expect(answer.status).toBe(200);
    expect(readObject(answer)).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/) as string,
    });
  });

  it.each([
    ['an unknown refresh token', { api_token: 'nobody' }, 401],
    ['no refresh token', {}, 422],
    ['a refresh token that is not a string', { api_token: 12 }, 422],
    ['a body that is not JSON', '{', 400],
  ])('does not exchange %s', async (_, body, status) => {
    const answer = await exchange(body);
    expect(answer.status).toBe(status);
    expect(readObject(answer)).toEqual({ error: text, message: text });
  });

  it.each(['/projects', '/projects/x', '/projects/x/floorplans', '/nothing'])(
    'answers GET %s without a valid access token with 401',
    async (path) => {
      const token = await service().exchange();
      const { baseUrl, refreshToken } = service().running;
      const authorizations = [
        undefined,
        token,
        'Bearer',
        'Bearer not.a.jwt',
        `Bearer ${refreshToken}`,
        `Bearer ${token.slice(0, -4)}AAAA`,
      ];
      for (const authorization of authorizations) {
        const headers = authorization === undefined ? {} : { authorization };
        const answer = await sendRequest(`${baseUrl}/api/v3${path}`, { headers });
        expect(answer.status).toBe(401);
      }
    },
  );

  it('answers an access token of another service with 401', async () => {
    const other = await TestService.start();
    const headers = { authorization: `Bearer ${await other.exchange()}` };
    expect((await service().api('/projects', { headers })).status).toBe(401);
  });

  it('accepts an access token for its lifetime, and exchanges the refresh token again after it', async () => {
    const old = await service().exchange();
    const statusWith = async (token: string) =>
      (await service().api('/projects', { headers: { authorization: `Bearer ${token}` } })).status;
    expect(await statusWith(old)).toBe(200);
    service().clock.advance(299_999);
    expect(await statusWith(old)).toBe(200);
    service().clock.advance(1);
    expect(await statusWith(old)).toBe(401);
    const next = await service().exchange();
    expect(next).not.toBe(old);
    expect(await statusWith(next)).toBe(200);
  });
});
