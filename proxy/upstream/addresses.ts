// Decides which addresses a connection may reach. A host is checked by the addresses it resolves to, when the
// connection is opened, and the connection uses exactly a checked address. A private host is reachable only if an
// operator lists it, and only by the organizations for which it is listed.
import type { BlockList } from 'node:net';
import { blockList, familyOf, isMetadataHost, isPublicAddress } from '../../common/addresses.ts';
import { type PrivateUpstream, PrivateUpstreams } from '../../common/private-upstreams.ts';

export interface AddressPolicyOptions {
  /** Hosts and ports of base URLs that may be private, and may use plain http. */
  readonly privateUpstreams: readonly PrivateUpstream[];
  /** CIDR blocks that are refused beside the built-in ones. */
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
   * For whom an operator listed this host and port: undefined if not for this organization, empty if for all, else the
   * organization. Connections of different scopes are never shared.
   */
  scopeOf(hostAndPort: string, organization: string): string | undefined {
    return this.#private.scopeOf(hostAndPort, organization);
  }

  /** Whether a connection may be opened to this address. @param isListed whether the host is listed */
  allows(address: string, isListed: boolean): boolean {
    const family = familyOf(address);
    if (family === undefined || isMetadataHost(address)) return false;
    return isListed || (isPublicAddress(address) && !this.#denied.check(address, family));
  }
}
