import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { parseSigningSecret } from '../../../functions/adapters/auth/signing-secret.ts';
import { sign } from '../../../functions/deliver/sign.ts';

/** The reference vector of Standard Webhooks. */
const VECTOR = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  request: { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}' },
  now: 1_614_265_330_000,
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};
const OTHER = `whsec_${Buffer.from('another secret of 33 bytes, 🏗 too').toString('base64')}`;

const keyOf = (secret: string) => parseSigningSecret(secret) ?? new Uint8Array();

it('signs the reference vector as its specification does', () => {
  const { request, secret, now, signature } = VECTOR;
  expect(sign(request, [keyOf(secret)], now + 999)).toEqual({
    'webhook-id': request.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': signature,
  });
});

it.each([VECTOR.secret, OTHER])('while a secret rotates, %s verifies the request', (secret) => {
  const body = '{"name":"Türme 🏗 "}';
  const keys = [VECTOR.secret, OTHER].map(keyOf);
  const headers = sign({ id: 'a', body }, keys, Date.now());
  expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
  expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow('No matching signature');
});
