// Headers of every response of the console: nothing but its own scripts runs in its page, and no other page frames it.
import type { Site } from '../auth/site.ts';

/** What the page may not use; an empty list is nobody. */
const features = ['camera', 'display-capture', 'geolocation', 'microphone', 'midi', 'payment', 'serial', 'usb'];

/** @param nonce of the styles that the page's library makes; undefined for a response that is no page */
export function consoleHeaders(site: Site, nonce?: string): Readonly<Record<string, string>> {
  const styles = nonce === undefined ? "style-src 'self'" : `style-src 'self' 'nonce-${nonce}'`;
  return {
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      styles,
      "img-src 'self' data:",
      "font-src 'self'",
      `connect-src 'self'${site.playground === undefined ? '' : ` ${site.playground}`}`,
      "form-action 'self'",
      "frame-ancestors 'none'",
      "base-uri 'self'",
      "require-trusted-types-for 'script'",
    ].join('; '),
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': features.map((feature) => `${feature}=()`).join(', '),
    ...(site.secure && { 'strict-transport-security': 'max-age=31536000' }),
  };
}
