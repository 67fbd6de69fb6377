// Determines the address of a caller: the address of the peer, or the one that a trusted proxy reports. Reports from
// other peers are ignored, so a caller cannot choose its address. All addresses of an IPv6 /64 count as one caller.
import { isIP, SocketAddress } from 'node:net';
import { blockList, familyOf } from './addresses.ts';

/** Whether the gateway believes what a peer reports about its caller. @param address in the form of plainAddress */
export type IsTrusted = (address: string) => boolean;

/** Trusts no peer. */
export const trustsNobody: IsTrusted = () => false;

/** @param blocks CIDR blocks. @throws Error for text that is not a CIDR block */
export function trustedProxies(blocks: readonly string[]): IsTrusted {
  if (blocks.length === 0) return trustsNobody;
  const trusted = blockList(blocks);
  return (address) => {
    const family = familyOf(address);
    return family !== undefined && trusted.check(address, family);
  };
}

/**
 * Normalizes an address for logs, comparison and counting: IPv4-mapped IPv6 becomes IPv4, IPv6 is shortened, and the
 * zone is removed.
 */
export function plainAddress(address: string): string {
  const [unzoned = ''] = address.split('%');
  if (isIP(unzoned) !== 6) return unzoned;
  const { address: short } = new SocketAddress({ address: unzoned, family: 'ipv6' });
  return short.replace(/^::ffff:(?=\d+\.)/, '');
}

/** A longer chain of trusted proxies is taken for a list that somebody made up. */
const hopsMax = 32;
/** Maximum length of an IPv6 address with brackets and a port. */
const hopLengthMax = 64;

/**
 * Returns the hop nearest to the gateway that is not a trusted proxy. Everything to the left of that hop is its own
 * claim.
 * @param peer address of the peer that connected
 * @param forwardedFor `X-Forwarded-For`; if it occurred several times, all values in order, joined by commas
 * @returns the address in the form of plainAddress; if a hop is not an address, the trusted proxy that reported it
 */
export function callerAddress(peer: string, forwardedFor: string | undefined, isTrusted: IsTrusted): string {
  let address = plainAddress(peer);
  if (forwardedFor === undefined) return address;
  let end = forwardedFor.length;
  for (let hops = 0; hops < hopsMax && end >= 0 && isTrusted(address); hops++) {
    // Read from the end: the caller controls the beginning and can make it arbitrarily long.
    const comma = end === 0 ? -1 : forwardedFor.lastIndexOf(',', end - 1);
    const hop = hopAddress(forwardedFor.slice(comma + 1, end));
    if (hop === undefined) break;
    address = hop;
    end = comma;
  }
  return address;
}

/** Parses `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:4711`. */
function hopAddress(text: string): string | undefined {
  if (text.length > hopLengthMax + 2) return undefined;
  const hop = text.trim();
  const [, inBrackets, v4] = /^(?:\[([^\]]*)\]|(\d[\d.]*))(?::\d{1,5})?$/.exec(hop) ?? [];
  const address = inBrackets ?? v4 ?? hop;
  return isIP(address) === 0 || address.includes('%') ? undefined : plainAddress(address);
}

/** The unit by which limits count: an IPv4 address, or the /64 of an IPv6 address. */
export function addressGroup(address: string): string {
  const plain = plainAddress(address);
  if (isIP(plain) !== 6) return plain;
  const [head = '', tail] = plain.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array<string>(8 - left.length - right.length).fill('0');
  return `${[...left, ...zeros, ...right].slice(0, 4).join(':')}::/64`;
}
