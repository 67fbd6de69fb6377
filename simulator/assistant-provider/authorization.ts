// Who calls and in which version of the API: what the vendor checks of the headers before it looks at a body.
import type { IncomingHttpHeaders } from 'node:http';
import { badRequest, Refusal } from './refusal.ts';

const ownKey = /^sk-(ant-)?sim-[A-Za-z0-9_-]+$/;

/** @throws Refusal 401 */
export function authorize(headers: IncomingHttpHeaders, keys: ReadonlySet<string>): void {
  const key = headers['x-api-key'];
  const bearer = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1];
  // Of both the vendor takes the key's own header, even if the other would do.
  const given = key ?? bearer;
  if (given === undefined || given === '') throw new Refusal(401, 'x-api-key header is required');
  if (typeof given === 'string' && (ownKey.test(given) || keys.has(given))) return;
  throw new Refusal(401, key === undefined ? 'Invalid bearer token' : 'invalid x-api-key');
}

// The one before, 2023-01-01, belongs to an API that is gone.
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
 * The betas asked for. Their list changes weekly, so only the form of a name is judged: words, then a date.
 * @throws Refusal
 */
export function betasOf(headers: IncomingHttpHeaders): ReadonlySet<string> {
  const given = String(headers['anthropic-beta'] ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const unknown = given.find((name) => !/^[a-z][a-z0-9-]*-\d{4}-\d{2}-\d{2}$/.test(name));
  if (unknown === undefined) return new Set(given);
  throw badRequest(`Unexpected value(s) \`${unknown}\` for the \`anthropic-beta\` header.`);
}
