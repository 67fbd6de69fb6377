// The form of every credential the gateway issues: a prefix, 256 random bits as 43 base62 digits, and six base62 digits
// of CRC-32 over what precedes. Only the SHA-256 of a value is ever stored or looked up, always of the whole value.
import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Prefixes by what the credential opens. */
export const credentialPrefixes = {
  virtualKey: 'sk-svc-',
  operator: 'gw-op-',
  proxy: 'gw-proxy-',
  bootstrap: 'gw-boot-',
} as const;

export type CredentialKind = keyof typeof credentialPrefixes;

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomDigits = 43;
const checksumDigits = 6;
const tailPattern = /^[0-9A-Za-z]{49}$/;

/** Makes a new value. It is to be shown once and then forgotten. */
export function createCredential(kind: CredentialKind): string {
  const body =
    credentialPrefixes[kind] + base62(BigInt(`0x${randomBytes(32).toString('hex')}`), randomDigits);
  return body + checksum(body);
}

/** Whether length, alphabet and checksum are right: what is not well-formed exists nowhere and needs no look-up. */
export function isWellFormedCredential(kind: CredentialKind, value: string): boolean {
  const prefix = credentialPrefixes[kind];
  if (!value.startsWith(prefix) || !tailPattern.test(value.slice(prefix.length))) return false;
  const bodyLength = value.length - checksumDigits;
  return value.slice(bodyLength) === checksum(value.slice(0, bodyLength));
}

/** Whether one of the gateway's credentials stands in the text, by its prefix: a name that holds one is somebody's mistake. */
export function holdsCredential(text: string): boolean {
  return Object.values(credentialPrefixes).some((prefix) => text.includes(prefix));
}

const valuePattern = new RegExp(`(?:${Object.values(credentialPrefixes).join('|')})[0-9A-Za-z]{20,}`);

/** Whether a value stands in the text, or most of one: for texts in which a prefix alone may stand, such as what a guardrail looks for. */
export function holdsCredentialValue(text: string): boolean {
  return valuePattern.test(text);
}

/** SHA-256 of the whole value in lower-case hexadecimal, 64 characters. */
export function hashCredential(value: string): string {
  return hash('sha256', value, 'hex');
}

/** The last four characters: enough to tell two keys apart, useless to guess one. */
export function credentialHint(value: string): string {
  return value.slice(-4);
}

function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let i = 0; i < checksumDigits; i++) {
    text = alphabet.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

function base62(value: bigint, digits: number): string {
  let rest = value;
  let text = '';
  for (let i = 0; i < digits; i++) {
    text = alphabet.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  return text;
}
