// The form of every credential that the gateway issues: a prefix, 256 random bits as 43 base62 digits, and six base62
// digits of CRC-32 over everything before them. Only the SHA-256 of the whole value is stored or looked up.
import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Prefixes, by the use of the credential. */
export const credentialPrefixes = {
  virtualKey: 'sk-svc-',
  operator: 'gw-op-',
  proxy: 'gw-proxy-',
  bootstrap: 'gw-boot-',
  /** Five minutes of a session of the console. */
  session: 'gw-ses-',
  /** Signs in at the console, once. */
  link: 'gw-link-',
  /** Signs in at an issuer for the first time, once. */
  invitation: 'gw-inv-',
  /** Provisions people and groups for an issuer. */
  scim: 'gw-scim-',
} as const;

export type CredentialKind = keyof typeof credentialPrefixes;

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomDigits = 43;
const checksumDigits = 6;
const tailPattern = /^[0-9A-Za-z]{49}$/;

/** Creates a new value. The caller shows it once and then forgets it. */
export function createCredential(kind: CredentialKind): string {
  const body = credentialPrefixes[kind] + base62(BigInt(`0x${randomBytes(32).toString('hex')}`), randomDigits);
  return body + checksum(body);
}

/**
 * Whether length, alphabet and checksum are correct. A value that is not well-formed cannot exist, so it needs no
 * look-up.
 */
export function isWellFormedCredential(kind: CredentialKind, value: string): boolean {
  const prefix = credentialPrefixes[kind];
  if (!value.startsWith(prefix) || !tailPattern.test(value.slice(prefix.length))) return false;
  const bodyLength = value.length - checksumDigits;
  return value.slice(bodyLength) === checksum(value.slice(0, bodyLength));
}

/**
 * Whether the text contains a prefix of the gateway's credentials. A name that contains one is a mistake of its author.
 */
export function containsCredential(text: string): boolean {
  return Object.values(credentialPrefixes).some((prefix) => text.includes(prefix));
}

const valuePattern = new RegExp(`(?:${Object.values(credentialPrefixes).join('|')})[0-9A-Za-z]{20,}`);

/**
 * Whether the text contains a credential, or most of one. For texts that may contain a prefix alone, such as the
 * phrases of a guardrail.
 */
export function containsCredentialValue(text: string): boolean {
  return valuePattern.test(text);
}

const valuesPattern = new RegExp(`(?:${Object.values(credentialPrefixes).join('|')})[0-9A-Za-z]{8,}`, 'g');

/** The text with every credential of the gateway, and every part of one with its prefix, replaced. */
export function withoutCredentials(text: string): string {
  return text.replace(valuesPattern, '[key]');
}

/** SHA-256 of the whole value in lower-case hexadecimal, 64 characters. */
export function hashCredential(value: string): string {
  return hash('sha256', value, 'hex');
}

/** The last four characters: enough to distinguish two keys, useless for guessing one. */
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
