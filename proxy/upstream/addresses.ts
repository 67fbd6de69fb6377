// Which addresses a connection may reach. Hosts are judged by the addresses they resolve to, at the moment of connecting,
// and the connection goes to the very address that was judged. Private hosts are reached only where an operator lists them.
import { lookup as dnsLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import type { BlockList } from 'node:net';
import { blockList, familyOf, isMetadataHost, isPublicAddress } from '../../common/addresses.ts';

export class ForbiddenAddressError extends Error {
  constructor(host: string) {
    super(`the address of ${host} is not one that the gateway may reach`);
    this.name = 'ForbiddenAddressError';
  }
}

export interface AddressPolicyOptions {
  /** `host:port` of base URLs that may be private, and plain http. */
  readonly privateUpstreams: readonly string[];
  /** CIDR blocks refused beside the built-in ones. */
  readonly denyCidrs: readonly string[];
}

type LookupCallback = (
  error: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void;

export class AddressPolicy {
  readonly #private: ReadonlySet<string>;
  readonly #denied: BlockList;

  constructor(options: AddressPolicyOptions) {
    this.#private = new Set(options.privateUpstreams);
    this.#denied = blockList(options.denyCidrs);
  }

  /** Whether an operator listed this host and port. */
  isListed(hostAndPort: string): boolean {
    return this.#private.has(hostAndPort);
  }

  /** Whether a connection may be opened to this address for this host. */
  allows(address: string, hostAndPort: string): boolean {
    const family = familyOf(address);
    if (family === undefined || isMetadataHost(address)) return false;
    return this.isListed(hostAndPort) || (isPublicAddress(address) && !this.#denied.check(address, family));
  }

  /** A `lookup` for net.connect that fails for addresses that may not be reached. @throws never; fails the connection */
  lookupFor(hostAndPort: string): (host: string, options: LookupOptions, callback: LookupCallback) => void {
    return (host, options, callback) => {
      dnsLookup(host, { ...options, all: true }, (error, addresses) => {
        if (error !== null) return callback(error, []);
        const allowed = addresses.filter(({ address }) => this.allows(address, hostAndPort));
        const [first] = allowed;
        if (first === undefined) return callback(new ForbiddenAddressError(host), []);
        return options.all === true ? callback(null, allowed) : callback(null, first.address, first.family);
      });
    };
  }
}
