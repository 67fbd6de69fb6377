// The name of an organization in the address of its sign-in page: `<console>o/<slug>`. Pure.
import { isUuid } from './uuid.ts';

const lengthMin = 3;
const lengthMax = 40;
const pattern = /^[a-z0-9-]{3,40}$/;

/** An id of an organization has the same characters, and is none. */
export function isSlug(text: string): boolean {
  return pattern.test(text) && !isUuid(text);
}

/**
 * Makes a slug from a name: "Acme, Inc." is acme-inc.
 * @param isTaken then a number is added
 */
export function slugOf(name: string, isTaken: (slug: string) => boolean): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, lengthMax)
    .replaceAll(/^-|-$/g, '');
  const base = plain.length < lengthMin || isUuid(plain) ? `org-${plain}`.replace(/-$/, '').slice(0, lengthMax) : plain;
  for (let number = 1; ; number++) {
    const text = number === 1 ? base : `${base.slice(0, lengthMax - 1 - String(number).length)}-${number}`;
    if (!isTaken(text)) return text;
  }
}
