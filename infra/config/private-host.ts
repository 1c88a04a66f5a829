import { BlockList, isIP } from 'node:net';

/** Ranges that are not of the public internet (IANA's registries of special-purpose addresses). */
const PRIVATE = blockList([
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16'],
  ...['172.16.0.0/12', '192.0.0.0/24', '192.168.0.0/16', '198.18.0.0/15', '224.0.0.0/3'],
  ...['::/127', 'fc00::/7', 'fe80::/10', 'ff00::/8'],
]);

/** Where AWS shows credentials to whoever asks. */
const METADATA = blockList(['169.254.169.254/32', '169.254.170.2/32', 'fd00:ec2::254/128']);

/** Whether a host of a URL is this machine or an address outside of the public internet, as far as its text tells. */
export function isPrivateHost(host: string): boolean {
  return /(^|\.)localhost\.?$/.test(host) || isIn(PRIVATE, host);
}

/** Whether a host of a URL is the address of the metadata of an instance or a container. */
export function isMetadataHost(host: string): boolean {
  return isIn(METADATA, host);
}

function isIn(list: BlockList, host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, '$1');
  const version = isIP(address);
  // An IPv4 address that is written as an IPv6 one is found, too.
  return version !== 0 && list.check(address, `ipv${version as 4 | 6}`);
}

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    list.addSubnet(address, Number(bits), isIP(address) === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}
