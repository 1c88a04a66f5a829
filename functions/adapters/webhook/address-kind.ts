import ipaddr from 'ipaddr.js';

/**
 * Where an address leads.
 *
 * - `link-local`: to the machine's own network, where Lambda and EC2 have services.
 * - `metadata`: to credentials of the machine.
 * - `reserved`: nowhere, or to another address that only a tunnel knows.
 */
export type AddressKind =
  | 'public'
  | 'private'
  | 'loopback'
  | 'link-local'
  | 'metadata'
  | 'reserved';

/** Addresses at which AWS gives credentials, and data of a machine. */
const METADATA: ReadonlySet<string> = new Set([
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  'fd00:ec2::254',
  'fd00:ec2::23',
]);

/** Ranges whose addresses lead into a network of its owner. */
const PRIVATE: ReadonlySet<string> = new Set(['private', 'carrierGradeNat', 'uniqueLocal']);

/** Public addresses of IPv6. Others that belong to no special range are not assigned. */
const [GLOBAL, GLOBAL_BITS] = ipaddr.IPv6.parseCIDR('2000::/3');
/** Of NAT64: the last 32 bits are an address of IPv4. */
const [NAT64, NAT64_BITS] = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/** The kind of an address: where it leads. An IPv4 address within an IPv6 one counts as itself. */
export function addressKind(address: string): AddressKind {
  if (!ipaddr.isValid(address)) return 'reserved';
  const parsed = unwrap(ipaddr.parse(address));
  if (METADATA.has(parsed.toString())) return 'metadata';
  const range: string = parsed.range();
  if (range === 'loopback') return 'loopback';
  if (range === 'linkLocal') return 'link-local';
  if (PRIVATE.has(range)) return 'private';
  const isPublic =
    range === 'unicast' && (parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL, GLOBAL_BITS));
  return isPublic ? 'public' : 'reserved';
}

function unwrap(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (address instanceof ipaddr.IPv4) return address;
  // The zone names an interface of this machine.
  delete address.zoneId;
  if (address.isIPv4MappedAddress()) return address.toIPv4Address();
  const bytes = address.toByteArray();
  return address.match(NAT64, NAT64_BITS) ? new ipaddr.IPv4(bytes.slice(12)) : address;
}
