// Checks of the headers, which the vendor makes before it reads the body: credential, API version, betas.
import type { IncomingHttpHeaders } from 'node:http';
import { badRequest, Refusal } from './refusal.ts';

const ownKey = /^sk-(ant-)?sim-[A-Za-z0-9_-]+$/;

/** @throws Refusal 401 */
export function authorize(headers: IncomingHttpHeaders, keys: ReadonlySet<string>): void {
  const key = headers['x-api-key'];
  const bearer = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1];
  // With both headers the vendor uses `x-api-key`, even if only the bearer token is valid.
  const given = key ?? bearer;
  if (given === undefined || given === '') throw new Refusal(401, 'x-api-key header is required');
  if (typeof given === 'string' && (ownKey.test(given) || keys.has(given))) return;
  throw new Refusal(401, key === undefined ? 'Invalid bearer token' : 'invalid x-api-key');
}

// Version 2023-01-01 is not listed: its API was shut down.
const versions = ['2023-06-01', '2026-10-21'] as const;
export type Version = (typeof versions)[number];

/** @throws Refusal */
export function versionOf(headers: IncomingHttpHeaders): Version {
  const given = headers['anthropic-version'];
  if (given === undefined) throw badRequest('anthropic-version: header is required');
  const version = versions.find((known) => known === given);
  if (version === undefined) throw badRequest(`anthropic-version: "${String(given)}" is not a valid version`);
  return version;
}

/**
 * The betas that the request names. The vendor's list changes weekly, so only the form of a name is checked: lower-case
 * words and a date.
 * @throws Refusal
 */
export function betasOf(headers: IncomingHttpHeaders): ReadonlySet<string> {
  const given = String(headers['anthropic-beta'] ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const unknown = given.find((name) => !/^[a-z][a-z0-9-]*-\d{4}-?\d{2}-?\d{2}$/.test(name));
  if (unknown === undefined) return new Set(given);
  throw badRequest(`Unexpected value(s) \`${unknown}\` for the \`anthropic-beta\` header.`);
}
