// Which addresses a connection may reach. Hosts are judged by the addresses they resolve to, at the moment of connecting,
// and the connection goes to the very address that was judged. Private hosts are reached only where an operator lists them.
import type { BlockList, LookupFunction } from 'node:net';
import { blockList, familyOf, isMetadataHost, isPublicAddress } from '../../common/addresses.ts';
import { judgedLookup } from '../../common/judged-lookup.ts';

export interface AddressPolicyOptions {
  /** `host:port` of base URLs that may be private, and plain http. */
  readonly privateUpstreams: readonly string[];
  /** CIDR blocks refused beside the built-in ones. */
  readonly denyCidrs: readonly string[];
}

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
  lookupFor(hostAndPort: string): LookupFunction {
    return judgedLookup((address) => this.allows(address, hostAndPort));
  }
}
