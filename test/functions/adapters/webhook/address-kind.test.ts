import { expect, it } from 'vitest';
import { addressKind } from '../../../../functions/adapters/webhook/address-kind.ts';

it.each(
  Object.entries({
    public: ['8.8.8.8', '52.94.236.248', '2600:1f18::1', '64:ff9b::808:808', '::ffff:8.8.8.8'],
    private: [
      ...['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1'],
      ...['fc00::1', 'fd12::1', 'fd12::1%eth0', '::ffff:10.0.0.1', '64:ff9b::a00:1'],
    ],
    'link-local': ['169.254.1.1', 'fe80::1', 'fe80::1%eth0', '::ffff:169.254.1.1'],
    loopback: ['127.0.0.1', '127.255.0.1', '::1', '::ffff:127.0.0.1', '64:ff9b::7f00:1'],
    metadata: [
      ...['169.254.169.254', '169.254.170.2', '169.254.170.23', 'fd00:ec2::254'],
      ...['fd00:ec2:0:0::254', '::ffff:169.254.169.254', '64:ff9b::a9fe:a9fe'],
    ],
    reserved: [
      ...['0.0.0.0', '255.255.255.255', '224.0.0.1', '240.0.0.1', '192.0.2.1', '198.18.0.1'],
      // Tunnels, the other NAT64, addresses of IPv4 in old clothes, and not assigned ones.
      ...['2002:7f00:1::', '2001::1', '64:ff9b:1::7f00:1', '::7f00:1', '::ffff:0:7f00:1'],
      ...['::', 'ff02::1', 'fec0::1', '100::1', '2001:db8::1', '4000::1', 'no address', ''],
    ],
  }).flatMap(([kind, addresses]) => addresses.map((address) => [address, kind])),
)('%s is %s', (address, kind) => {
  expect(addressKind(address)).toBe(kind);
});
