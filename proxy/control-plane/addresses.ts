// The address of the control plane: `host:port`, one name or several addresses.
import { isIPv4, isIPv6 } from 'node:net';
import { isLoopbackHost } from '../../common/addresses.ts';

/**
 * The target that grpc-js dials: one name, or several addresses of one family. @throws Error that explains which
 * address is required
 */
export function target(addresses: readonly string[]): string {
  const [first] = addresses;
  if (first === undefined) throw new Error('needs the address of the control plane, such as control-plane:50051');
  if (addresses.every((address) => isIPv4(hostOf(address)))) return `ipv4:${addresses.join(',')}`;
  if (addresses.every((address) => isIPv6(hostOf(address)))) return `ipv6:${addresses.join(',')}`;
  if (addresses.length > 1)
    throw new Error('several control-plane addresses must all be IPv4 or all IPv6; or give one name for them');
  return `dns:///${first}`;
}

function hostOf(address: string): string {
  const host = /^(?:\[([^\]]+)\]|([^:]+)):\d{1,5}$/.exec(address);
  if (host === null) throw new Error(`a control-plane address must be host:port, not "${address}"`);
  return host[1] ?? host[2] ?? '';
}

export function isLoopback(address: string): boolean {
  return isLoopbackHost(hostOf(address));
}
