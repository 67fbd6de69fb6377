// Base URLs of provider keys: https and public, or a host and port that the operator of the platform has listed. The proxy
// checks again after DNS; here an operator learns at once what can never work.
import { BlockList, isIP } from 'node:net';
import { type Field, invalid, valid } from './field.ts';

/** Lower-case host:port entries of GATEWAY_PRIVATE_UPSTREAMS. */
export type PrivateUpstreams = ReadonlySet<string>;

const lengthMax = 2048;

const metadataHosts = new Set([
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '100.100.100.200',
  '168.63.129.16',
  '[fd00:ec2::254]',
  '[fd00:ec2::23]',
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
]);

export function baseUrl(text: string, privateUpstreams: PrivateUpstreams): Field<string> {
  const url = text.length <= lengthMax && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['https:', 'http:'].includes(url.protocol) || hasExtras(url, text)) {
    return invalid('must be a URL such as https://host/path, without credentials, query or fragment');
  }
  const host = url.hostname.replace(/\.$/, '');
  if (isMetadataHost(host)) return invalid('must not be an address of instance metadata');
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  if (privateUpstreams.has(`${host}:${port}`)) return valid(url.href.replace(/\/$/, ''));
  if (url.protocol !== 'https:') {
    return invalid('must begin with https://; http is for hosts listed in GATEWAY_PRIVATE_UPSTREAMS');
  }
  if (isPrivateHost(host)) {
    return invalid('must be a public host, or one listed with its port in GATEWAY_PRIVATE_UPSTREAMS');
  }
  return valid(url.href.replace(/\/$/, ''));
}

function hasExtras(url: URL, text: string): boolean {
  return url.username !== '' || url.password !== '' || /[?#\s\\]/.test(text);
}

function isMetadataHost(host: string): boolean {
  const mapped = /^\[::ffff:([0-9a-f]+):([0-9a-f]+)\]$/.exec(host);
  if (mapped === null) return metadataHosts.has(host);
  const bytes = [mapped[1], mapped[2]].flatMap((part) => {
    const number = Number.parseInt(part ?? '', 16);
    return [number >> 8, number & 255];
  });
  return metadataHosts.has(bytes.join('.'));
}

const privateRanges = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const) {
  privateRanges.addSubnet(network, prefix, 'ipv4');
}

// Of IPv6 only the global unicast range is public, and of it not what embeds or documents other addresses.
const publicIpv6 = new BlockList();
publicIpv6.addSubnet('2000::', 3, 'ipv6');
const embeddingIpv6 = new BlockList();
embeddingIpv6.addSubnet('2001::', 23, 'ipv6');
embeddingIpv6.addSubnet('2001:db8::', 32, 'ipv6');
embeddingIpv6.addSubnet('2002::', 16, 'ipv6');

/** The WHATWG URL parser has already turned 0x7f.1 and 2130706433 into 127.0.0.1. */
function isPrivateHost(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '');
  switch (isIP(address)) {
    case 4:
      return privateRanges.check(address, 'ipv4');
    case 6:
      return !publicIpv6.check(address, 'ipv6') || embeddingIpv6.check(address, 'ipv6');
    default:
      return !host.includes('.') || /\.(localhost|local|internal|svc|cluster\.local)$/.test(host);
  }
}
