// Which addresses a connection may reach. Hosts are judged by the addresses they resolve to, at the moment of connecting,
// and the connection goes to the very address that was judged. Private hosts are reached only where an operator lists them, and by
// those organizations for which they are listed.
import type { BlockList } from 'node:net';
import { blockList, familyOf, isMetadataHost, isPublicAddress } from '../../common/addresses.ts';
import { type PrivateUpstream, PrivateUpstreams } from '../../common/private-upstreams.ts';

export interface AddressPolicyOptions {
  /** Hosts and ports of base URLs that may be private, and plain http. */
  readonly privateUpstreams: readonly PrivateUpstream[];
  /** CIDR blocks refused beside the built-in ones. */
  readonly denyCidrs: readonly string[];
}

export class AddressPolicy {
  readonly #private: PrivateUpstreams;
  readonly #denied: BlockList;

  constructor(options: AddressPolicyOptions) {
    this.#private = new PrivateUpstreams(options.privateUpstreams);
    this.#denied = blockList(options.denyCidrs);
  }

  /**
   * What an operator listed this host and port for: undefined where not for this organization, empty where for all, else the
   * organization. Connections of different scopes are never shared.
   */
  scopeOf(hostAndPort: string, organization: string): string | undefined {
    return this.#private.scopeOf(hostAndPort, organization);
  }

  /** Whether a connection may be opened to this address for a host that is listed, or is not. */
  allows(address: string, isListed: boolean): boolean {
    const family = familyOf(address);
    if (family === undefined || isMetadataHost(address)) return false;
    return isListed || (isPublicAddress(address) && !this.#denied.check(address, family));
  }
}
