// E-mail domains that organizations claim, and the DNS record that proves it. Pure.
import { randomBytes } from 'node:crypto';
import { domainToASCII } from 'node:url';
import { type Field, invalid, valid } from './field.ts';

const recordPrefix = '_model-gateway.';
const lengthMax = 253 - recordPrefix.length;
const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const pattern = new RegExp(`^(?:${label}\\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$`);

/** In lower case, in its ASCII form, without a dot at its end. */
export function emailDomain(text: string): Field<string> {
  const ascii = domainToASCII(text.trim().replace(/\.$/, '')).toLowerCase();
  return pattern.test(ascii) && ascii.length <= lengthMax
    ? valid(ascii)
    : invalid('must be a domain such as example.com');
}

/** The domain of an address; undefined for a text that is none. */
export function domainOfEmail(address: string): string | undefined {
  const [, text] = /^[^\s@]{1,64}@([^\s@]{1,253})$/.exec(address.trim()) ?? [];
  const domain = text === undefined ? undefined : emailDomain(text);
  return domain !== undefined && 'value' in domain ? domain.value : undefined;
}

export function createChallenge(): string {
  return randomBytes(24).toString('base64url');
}

/** The name and value of the TXT record. */
export function recordOf({ domain, challenge }: { readonly domain: string; readonly challenge: string }) {
  return { recordName: `${recordPrefix}${domain}`, recordValue: `model-gateway=${challenge}` };
}
