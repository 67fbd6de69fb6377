// A `lookup` for net.connect that judges addresses: a host is what it resolves to at the moment of connecting, and the
// connection goes to the very address that was judged. An address that stands in a URL is never looked up: whoever connects
// judges it before.
import { lookup as dnsLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';

export class ForbiddenAddressError extends Error {
  constructor(host: string) {
    super(`the address of ${host} is not one that the gateway may reach`);
    this.name = 'ForbiddenAddressError';
  }
}

/** node:dns's lookup, as far as it is used. */
export type Resolve = (
  host: string,
  options: LookupOptions & { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Fails the connection with ForbiddenAddressError where no address of the host may be reached. */
export function judgedLookup(
  allows: (address: string) => boolean,
  resolve: Resolve = dnsLookup,
): LookupFunction {
  return (host, options, callback) => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, []);
      const allowed = addresses.filter(({ address }) => allows(address));
      const [first] = allowed;
      if (first === undefined) return callback(new ForbiddenAddressError(host), []);
      return options.all === true ? callback(null, allowed) : callback(null, first.address, first.family);
    });
  };
}
