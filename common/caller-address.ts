// Whose address a connection has: its own, or behind proxies that are trusted the one that they report. Nobody else is believed, so a
// caller cannot choose its address; whoever holds one IPv6 address holds the /64 around it and is one caller.
import { isIP, SocketAddress } from 'node:net';
import { blockList, familyOf } from './addresses.ts';

/** Whether what a peer reports of its caller is believed. @param address as plainAddress returns it */
export type IsTrusted = (address: string) => boolean;

/** Nobody is. */
export const trustsNobody: IsTrusted = () => false;

/** @param blocks CIDR blocks. @throws Error for what is no CIDR block */
export function trustedProxies(blocks: readonly string[]): IsTrusted {
  if (blocks.length === 0) return trustsNobody;
  const trusted = blockList(blocks);
  return (address) => {
    const family = familyOf(address);
    return family !== undefined && trusted.check(address, family);
  };
}

/** An address in the one way in which it is logged, compared and counted: IPv4 within IPv6 as IPv4, IPv6 in short, without its zone. */
export function plainAddress(address: string): string {
  const [unzoned = ''] = address.split('%');
  if (isIP(unzoned) !== 6) return unzoned;
  const { address: short } = new SocketAddress({ address: unzoned, family: 'ipv6' });
  return short.replace(/^::ffff:(?=\d+\.)/, '');
}

/** More proxies than this one behind the other are a list that somebody has made up. */
const hopsMax = 32;
/** An IPv6 address with its brackets and a port. */
const hopLengthMax = 64;

/**
 * The hop nearest to the gateway that no trusted proxy is: what stands left of it is that hop's own word.
 * @param peer who connected, by its address
 * @param forwardedFor `X-Forwarded-For`, where it came several times all of them in their order, joined by commas
 * @returns in the form of plainAddress; of a hop that is no address, the trusted one that reported it
 */
export function callerAddress(peer: string, forwardedFor: string | undefined, isTrusted: IsTrusted): string {
  let address = plainAddress(peer);
  if (forwardedFor === undefined) return address;
  let end = forwardedFor.length;
  for (let hops = 0; hops < hopsMax && end >= 0 && isTrusted(address); hops++) {
    // Read from its end: the beginning is the caller's, and as long as it likes.
    const comma = end === 0 ? -1 : forwardedFor.lastIndexOf(',', end - 1);
    const hop = hopAddress(forwardedFor.slice(comma + 1, end));
    if (hop === undefined) break;
    address = hop;
    end = comma;
  }
  return address;
}

/** `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`, `[2001:db8::1]`, `[2001:db8::1]:4711` */
function hopAddress(text: string): string | undefined {
  if (text.length > hopLengthMax + 2) return undefined;
  const hop = text.trim();
  const [, inBrackets, v4] = /^(?:\[([^\]]*)\]|(\d[\d.]*))(?::\d{1,5})?$/.exec(hop) ?? [];
  const address = inBrackets ?? v4 ?? hop;
  return isIP(address) === 0 || address.includes('%') ? undefined : plainAddress(address);
}

/** What limits count by: an IPv4 address, or the /64 of an IPv6 address. */
export function addressGroup(address: string): string {
  const plain = plainAddress(address);
  if (isIP(plain) !== 6) return plain;
  const [head = '', tail] = plain.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array<string>(8 - left.length - right.length).fill('0');
  return `${[...left, ...zeros, ...right].slice(0, 4).join(':')}::/64`;
}
