import { Md5 as SdkMd5, Sha256 as SdkSha256 } from '@smithy/core/checksum';
import { expect, test } from 'vitest';
import { Md5, Sha256 } from '../../../../functions/poll/sdk-stand-ins/checksum.ts';

const SECRETS = [
  undefined,
  'secret',
  new Uint8Array([1, 2, 255]),
  new Uint8Array([7, 8, 9]).buffer,
];

test.each(SECRETS)('a digest with the secret %j is the one of the SDK', async (secret) => {
  for (const [Ours, Theirs] of [
    [Sha256, SdkSha256],
    [Md5, SdkMd5],
  ] as const) {
    if (Ours === Md5 && secret !== undefined) continue;
    const [ours, theirs] = [new Ours(secret), new Theirs(secret)];
    for (const digest of [ours, theirs]) {
      digest.update(Buffer.from('Größe'));
      digest.update(new Uint8Array(100_000));
    }
    expect(Buffer.from(await ours.digest())).toEqual(Buffer.from(await theirs.digest()));
  }
});

test('a digest begins anew after a reset', async () => {
  const digest = new Sha256();
  digest.update(Buffer.from('a'));
  digest.reset();
  expect(await digest.digest()).toEqual(await new Sha256().digest());
});
