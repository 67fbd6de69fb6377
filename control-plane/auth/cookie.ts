// The console's cookie: the only cookie of the gateway, and read nowhere else. Pure.
import { randomBytes } from 'node:crypto';
import type { Site } from './site.ts';

const valuePattern = /^[A-Za-z0-9_-]{43}$/;

/** 256 random bits in base64url, 43 characters. */
export function createCookieValue(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * The value of the site's cookie. Undefined without one, for a value that cannot exist, and for two of the same name:
 * another program on the host has set one of them.
 * @param header all values of the Cookie header, joined
 * @param form of the values that can exist
 */
export function cookieValueOf(header: string | undefined, name: string, form = valuePattern): string | undefined {
  const values = (header ?? '').split(/[;,]\s*/).flatMap((pair) => {
    const [key, value = ''] = pair.split('=', 2);
    return key === name ? [value] : [];
  });
  const [value = ''] = values;
  return values.length === 1 && form.test(value) ? value : undefined;
}

/** The Set-Cookie header. It ends with the browser's session; the control plane ends it earlier. */
export function setCookie(site: Site, name: string, value: string): string {
  return `${name}=${value}; Path=/; HttpOnly; SameSite=Lax${site.secure ? '; Secure' : ''}`;
}

export function clearCookie(site: Site, name: string): string {
  return `${setCookie(site, name, '')}; Max-Age=0`;
}
