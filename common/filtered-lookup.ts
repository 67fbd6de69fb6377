// A `lookup` for net.connect that filters addresses. A host is resolved when the connection is made, and the connection
// goes to exactly the address that was checked. An address in a URL is never looked up, so the code that connects must
// check it first.
import type { LookupAddress, LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { ShareOwner } from './shares.ts';

export class ForbiddenAddressError extends Error {
  constructor(host: string) {
    super(`the address of ${host} is not one that the gateway may reach`);
    this.name = 'ForbiddenAddressError';
  }
}

/** The requester of a look-up. */
export interface LookupFor {
  /** Cancels the look-up. */
  readonly signal?: AbortSignal | undefined;
  /** The owner whose share of look-ups it uses. */
  readonly owner?: ShareOwner | undefined;
}

/** The part of node:dns's lookup that is used. It never runs on one of Node's threads (see dns-resolve.ts). */
export type Resolve = (
  host: string,
  options: LookupOptions & LookupFor & { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Fails the connection with ForbiddenAddressError if no address of the host may be reached. */
export function filteredLookup(
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
