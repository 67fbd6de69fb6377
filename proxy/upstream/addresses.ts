// Which addresses a connection may reach. Hosts are judged by the addresses they resolve to, at the moment of connecting,
// and the connection goes to the very address that was judged. Private hosts are reached only where an operator lists them.
import { lookup as dnsLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { BlockList, isIP } from 'node:net';

/** Never reached, whatever an operator lists: instance metadata services hand out credentials. */
const metadata = blockList([
  '169.254.169.254/32',
  '169.254.170.2/32',
  '169.254.170.23/32',
  'fd00:ec2::254/128',
  '100.100.100.200/32',
]);

/** Not public: IANA special-purpose registries (RFC 6890), both families. */
const notPublic = [
  ...[
    '0.0.0.0/8',
    '10.0.0.0/8',
    '100.64.0.0/10',
    '127.0.0.0/8',
    '169.254.0.0/16',
    '172.16.0.0/12',
    '192.0.0.0/24',
  ],
  ...[
    '192.0.2.0/24',
    '192.88.99.0/24',
    '192.168.0.0/16',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
  ],
  ...['224.0.0.0/4', '240.0.0.0/4'],
  ...[
    '::/128',
    '::1/128',
    '::/96',
    '64:ff9b::/96',
    '64:ff9b:1::/48',
    '100::/64',
    '2001::/23',
    '2001:db8::/32',
  ],
  ...['2002::/16', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
];

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
    this.#denied = blockList([...notPublic, ...options.denyCidrs]);
  }

  /** Whether an operator listed this host and port. */
  isListed(hostAndPort: string): boolean {
    return this.#private.has(hostAndPort);
  }

  /** Whether a connection may be opened to this address for this host. */
  allows(address: string, hostAndPort: string): boolean {
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (isIP(address) === 0 || metadata.check(address, family)) return false;
    return this.isListed(hostAndPort) || !this.#denied.check(address, family);
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

function blockList(cidrs: readonly string[]): BlockList {
  const blocks = new BlockList();
  for (const cidr of cidrs) {
    const [address = '', bits] = cidr.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    blocks.addSubnet(address, Number(bits), family);
  }
  return blocks;
}
