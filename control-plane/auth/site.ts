// Where a browser has the console: its origin, its path and the name of its cookie. The public URL is a setting, never a
// header that a proxy or a page could set; without it the Host names the site, which the listener has checked before.
import { hash } from 'node:crypto';
import { isLoopbackHost } from '../../common/addresses.ts';

export interface SiteOptions {
  /** The console's public URL, with a slash at its end. */
  readonly publicUrl: URL | undefined;
  /** Where the listener serves the console: "/console/". */
  readonly path: string;
  /** Origin of the proxy that the page may call. Absent: none. */
  readonly playground?: string | undefined;
  /** Whether the listener itself speaks TLS. */
  readonly overTls: boolean;
}

export interface Site {
  /** What a browser sends as Origin. */
  readonly origin: string;
  /** The path of the console as the browser sees it, with a slash at its end. */
  readonly base: string;
  readonly secure: boolean;
  /** Whether a setting names the site, or it is this machine: an issuer may send browsers there. */
  readonly isNamed: boolean;
  /** Origin of the proxy that the page may call. */
  readonly playground?: string | undefined;
  /** Undefined: over plain http beyond loopback, where nobody may sign in. */
  readonly cookieName: string | undefined;
}

/** @param host the Host header, which the listener serves */
export function siteOf(host: string, options: SiteOptions): Site {
  return { ...addressOf(host, options), playground: options.playground };
}

function addressOf(host: string, { publicUrl, path, overTls }: SiteOptions): Site {
  const url = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : undefined;
  const isLoopback = url !== undefined && isLoopbackHost(url.hostname.replace(/^\[|\]$/g, ''));
  if (publicUrl !== undefined && (!isLoopback || host.toLowerCase() === publicUrl.host)) {
    return siteAt(publicUrl, isLoopback, true);
  }
  return siteAt(new URL(path, `${overTls ? 'https' : 'http'}://${host}`), isLoopback, isLoopback);
}

function siteAt(url: URL, isLoopback: boolean, isNamed: boolean): Site {
  const secure = url.protocol === 'https:';
  return { origin: url.origin, base: url.pathname, secure, isNamed, cookieName: cookieNameOf(url, secure, isLoopback) };
}

/** Two installations may share a host, below different paths or at different ports, and cookies know no ports. */
function cookieNameOf(url: URL, secure: boolean, isLoopback: boolean): string | undefined {
  if (secure) return `__Host-gateway-${hash('sha256', url.href, 'hex').slice(0, 8)}`;
  return isLoopback ? `gateway_${url.port === '' ? 80 : url.port}` : undefined;
}
