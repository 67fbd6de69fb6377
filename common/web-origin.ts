// Addresses of web pages and of what they call, as settings: scheme, host and port, without a path.
import { isLoopbackHost } from './addresses.ts';
import { type Decoder, url } from './settings.ts';

const webUrl = url(['https:', 'http:']);

/** As a browser sends it in `Origin`. http is for this machine alone. */
export const webOrigin: Decoder<string> = (value) => {
  const { origin, protocol, hostname, pathname, search } = new URL(webUrl(value));
  if (pathname !== '/' || search !== '') throw new Error('must have no path, such as https://gateway.example.com');
  if (protocol === 'http:' && !isLoopbackHost(hostname.replace(/^\[|\]$/g, '')))
    throw new Error('must begin with https://; http:// is for this machine alone');
  return origin;
};
