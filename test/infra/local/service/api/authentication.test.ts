import { describe, expect, it } from 'vitest';
import { readObject, sendRequest, TestService } from '../support.ts';

const text = expect.any(String) as string;

describe('authentication', () => {
  it('a refresh token is exchanged for a JWT without an authorization header', async () => {
    const { running } = await TestService.start();
    const answer = await sendRequest(`${running.authUrl}/api_keys/jwt`, {
      method: 'POST',
      body: { api_token: running.refreshToken },
    });
    expect(answer.status).toBe(200);
    expect(readObject(answer)).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/) as string,
    });
  });

  it.each([
    ['a refresh token of nobody', { api_token: 'nobody' }, 401],
    ['no refresh token', {}, 422],
    ['a refresh token that is not a string', { api_token: 12 }, 422],
    ['a body that is not JSON', '{', 400],
  ])('%s is not exchanged', async (_, body, status) => {
    const { running } = await TestService.start();
    const answer = await sendRequest(`${running.authUrl}/api_keys/jwt`, { method: 'POST', body });
    expect(answer.status).toBe(status);
    expect(readObject(answer)).toEqual({ error: text, message: text });
  });

  it.each(['/projects', '/projects/x', '/projects/x/floorplans', '/nothing'])(
    'GET %s without a good access token is answered with 401',
    async (path) => {
      const service = await TestService.start();
      const token = await service.exchange();
      const { running } = service;
      const headers: Record<string, string>[] = [
        {},
        { authorization: token },
        { authorization: 'Bearer' },
        { authorization: 'Bearer not.a.jwt' },
        { authorization: `Bearer ${running.refreshToken}` },
        { authorization: `Bearer ${token.slice(0, -4)}AAAA` },
      ];
      for (const header of headers) {
        const answer = await sendRequest(`${running.baseUrl}/api/v3${path}`, { headers: header });
        expect(answer.status).toBe(401);
      }
    },
  );

  it('an access token of another service is answered with 401', async () => {
    const [one, other] = [await TestService.start(), await TestService.start()];
    const authorization = `Bearer ${await other.exchange()}`;
    expect((await one.api('/projects', { headers: { authorization } })).status).toBe(401);
  });

  it('an access token is good until its lifetime is over, then answered with 401', async () => {
    const service = await TestService.start({ accessTokenSeconds: 300 });
    const before = await service.api('/projects');
    service.clock.advance(299_999);
    const justBefore = await service.api('/projects');
    service.clock.advance(1);
    const after = await service.api('/projects');
    expect([before.status, justBefore.status, after.status]).toEqual([200, 200, 401]);
  });

  it('the same refresh token gives another good access token after that', async () => {
    const service = await TestService.start({ accessTokenSeconds: 300 });
    const old = await service.exchange();
    service.clock.advance(300_000);
    const authorization = `Bearer ${await service.exchange()}`;
    expect(authorization).not.toContain(old);
    expect((await service.api('/projects', { headers: { authorization } })).status).toBe(200);
  });
});
