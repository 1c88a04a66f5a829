import { lookup as lookUp, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { addressKind, type AddressKind } from './address-kind.ts';

/** The address of an endpoint's host is refused. */
export class AddressRefusedError extends Error {
  override readonly name = 'AddressRefusedError';

  constructor(host: string, address: string, kind: AddressKind) {
    const subject = host === address ? host : `${host} resolves to ${address}, which`;
    const advice = kind === 'private' ? ' Set allowPrivateAddress if that is meant.' : '';
    super(`${subject} is a ${kind} address.${advice}`);
  }
}

/** Decides by where an address leads. */
export type AddressRule = (kind: AddressKind) => boolean;

/**
 * Makes the lookup of a socket that refuses addresses. It runs at each connect, so a host whose
 * address changes after a check (DNS rebinding) gains nothing. One refused address refuses the
 * host.
 */
export function guardedLookup(
  isAllowed: AddressRule,
  resolve: typeof lookUp = lookUp,
): LookupFunction {
  return (host, options, callback) => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      // With an error there are no addresses, whatever the types say.
      const refusal = error ?? refusalOf(host, addresses, isAllowed);
      const [first] = error === null ? addresses : [];
      if (refusal !== undefined) callback(refusal, []);
      else if (options.all === true) callback(null, addresses);
      else callback(null, first?.address ?? '', first?.family);
    });
  };
}

/** Checks a host that is an address: sockets look up names only. @throws AddressRefusedError */
export function assertHostAllowed(hostname: string, isAllowed: AddressRule): void {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  const refusal =
    isIP(address) === 0 ? undefined : refusalOf(address, [{ address, family: 0 }], isAllowed);
  if (refusal !== undefined) throw refusal;
}

function refusalOf(
  host: string,
  addresses: readonly LookupAddress[],
  isAllowed: AddressRule,
): Error | undefined {
  for (const { address } of addresses) {
    const kind = addressKind(address);
    if (!isAllowed(kind)) return new AddressRefusedError(host, address, kind);
  }
  return undefined;
}
