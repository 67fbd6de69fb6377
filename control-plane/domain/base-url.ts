// Base URLs of provider keys and custom providers: https and public, or a host and port that the platform operator has
// listed. The proxy checks again after DNS; the check here shows an operator at once which URLs can never work.
import { familyOf, isMetadataHost, isPublicAddress } from '../../common/addresses.ts';
import { type Field, invalid, valid } from './field.ts';

/** Whether a private host and port is listed for the organization that uses it. */
export type IsListed = (hostAndPort: string) => boolean;

const lengthMax = 2048;

export function baseUrl(text: string, isListed: IsListed): Field<string> {
  const url = text.length <= lengthMax && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['https:', 'http:'].includes(url.protocol) || hasExtras(url, text)) {
    return invalid('must be a URL such as https://host/path, without credentials, query, fragment or placeholders');
  }
  const host = url.hostname.replace(/\.$/, '');
  const address = host.replace(/^\[|\]$/g, '');
  if (isMetadataHost(address)) return invalid('must not be an address of instance metadata');
  if (isListed(hostAndPortOf(url))) return valid(url.href.replace(/\/$/, ''));
  if (url.protocol !== 'https:') {
    return invalid('must begin with https://; http is for hosts listed in GATEWAY_PRIVATE_UPSTREAMS');
  }
  if (isPrivateHost(address)) {
    return invalid('must be a public host, or one listed with its port in GATEWAY_PRIVATE_UPSTREAMS');
  }
  return valid(url.href.replace(/\/$/, ''));
}

/** As operators list it, such as `models.internal:8000`. */
export function hostAndPortOf({ hostname, port, protocol }: URL): string {
  return `${hostname.replace(/\.$/, '')}:${port === '' ? (protocol === 'https:' ? '443' : '80') : port}`;
}

function hasExtras(url: URL, text: string): boolean {
  return url.username !== '' || url.password !== '' || /[?#\s\\{}]/.test(text);
}

/** The WHATWG URL parser has already converted 0x7f.1 and 2130706433 to 127.0.0.1. */
export function isPrivateHost(host: string): boolean {
  if (familyOf(host) !== undefined) return !isPublicAddress(host);
  return !host.includes('.') || /\.(localhost|local|internal|svc|cluster\.local)$/.test(host);
}
