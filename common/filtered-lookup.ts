// A `lookup` for net.connect that judges addresses: a host is what it resolves to at the moment of connecting, and the
// connection goes to the very address that was judged. An address that stands in a URL is never looked up: whoever connects
// judges it before.
import type { LookupAddress, LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { ShareOwner } from './shares.ts';

export class ForbiddenAddressError extends Error {
  constructor(host: string) {
    super(`the address of ${host} is not one that the gateway may reach`);
    this.name = 'ForbiddenAddressError';
  }
}

/** For whom a name is looked up. */
export interface LookupFor {
  /** Ends the look-up. */
  readonly signal?: AbortSignal | undefined;
  /** Whose share of look-ups it is. */
  readonly owner?: ShareOwner | undefined;
}

/** node:dns's lookup, as far as it is used; never on one of Node's threads (see dns-resolve.ts). */
export type Resolve = (
  host: string,
  options: LookupOptions & LookupFor & { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Fails the connection with ForbiddenAddressError where no address of the host may be reached. */
export function judgedLookup(
  allows: (address: string) => boolean,
  resolve: Resolve,
  lookupFor: LookupFor = {},
): LookupFunction {
  return (host, options, callback) => {
    resolve(host, { ...options, ...lookupFor, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, []);
      const allowed = addresses.filter(({ address }) => allows(address));
      const [first] = allowed;
      if (first === undefined) return callback(new ForbiddenAddressError(host), []);
      return options.all === true ? callback(null, allowed) : callback(null, first.address, first.family);
    });
  };
}
