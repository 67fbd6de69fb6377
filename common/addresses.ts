// Classifies IP addresses as public or not, in one table for both planes. The control plane uses it to refuse base URLs
// that can never work; the proxy checks the address of every connection that it makes.
import { BlockList, isIP } from 'node:net';

/** Instance metadata services, which hand out credentials. They are never reached, even if an operator lists them. */
const metadata = once(() =>
  blockList([
    ...[
      '169.254.169.254/32',
      '169.254.170.2/32',
      '169.254.170.23/32',
      '100.100.100.200/32',
      '168.63.129.16/32',
      '192.0.0.192/32',
    ],
    ...['fd00:ec2::254/128', 'fd00:ec2::23/128', 'fd20:ce::254/128'],
  ]),
);

const metadataNames = new Set(['metadata', 'metadata.google.internal', 'metadata.goog', 'instance-data']);

/**
 * The IANA special-purpose registries (RFC 6890) of both families. For IPv6 they include the ranges that embed other
 * addresses.
 */
const special = once(() =>
  blockList([
    ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
    ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
    ...['224.0.0.0/4', '240.0.0.0/4'],
    ...['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
  ]),
);

/** Only the global unicast range of IPv6 is public. Mapped IPv4 addresses are checked as IPv4. */
const globalUnicast = once(() => blockList(['2000::/3', '::ffff:0:0/96']));

/** @param address an IP address without brackets; any other text is not a public address */
export function isPublicAddress(address: string): boolean {
  const family = familyOf(address);
  if (family === undefined || special().check(address, family)) return false;
  return family === 'ipv4' || globalUnicast().check(address, family);
}

/** @param host an IP address without brackets, or a name */
export function isMetadataHost(host: string): boolean {
  const family = familyOf(host);
  return family === undefined ? metadataNames.has(host.toLowerCase()) : metadata().check(host, family);
}

const loopback = once(() => blockList(['127.0.0.0/8', '::1/128']));

/** @param host an IP address without brackets, or a name */
export function isLoopbackHost(host: string): boolean {
  const family = familyOf(host);
  // A name or an address of IPv4 does without the expression for IPv6, which costs 9 ms of processor time at its first use.
  if (family === 'ipv4') return host.startsWith('127.');
  return family === undefined ? host === 'localhost' : loopback().check(host, family);
}

export interface AddressRule {
  /** CIDR blocks that are refused in addition to every address that is not public. */
  readonly deny: readonly string[];
  /** CIDR blocks that are allowed in addition to public addresses; default: none. */
  readonly allow?: readonly string[];
}

/**
 * Builds the check of an IP address without brackets. `deny` wins over `allow`.
 * @throws Error for text that is not a CIDR block
 */
export function addressRule({ deny, allow = [] }: AddressRule): (address: string) => boolean {
  const [denied, allowed] = [blockList(deny), blockList(allow)];
  return (address) => {
    const family = familyOf(address);
    if (family === undefined || isMetadataHost(address) || denied.check(address, family)) return false;
    return isPublicAddress(address) || allowed.check(address, family);
  };
}

/** @throws Error for text that is not a CIDR block */
export function blockList(cidrs: readonly string[]): BlockList {
  const blocks = new BlockList();
  for (const cidr of cidrs) {
    const [address = '', bits] = cidr.split('/');
    const family = familyOf(address);
    if (family === undefined || !/^\d{1,3}$/.test(bits ?? ''))
      throw new Error(`must be a CIDR block such as 10.0.0.0/8, not "${cidr}"`);
    blocks.addSubnet(address, Number(bits), family);
  }
  return blocks;
}

/** Lists are made when they are needed: a program that checks no address, such as gatewayctl, starts without them. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

export function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  const version = isIP(address);
  return version === 0 ? undefined : version === 6 ? 'ipv6' : 'ipv4';
}
