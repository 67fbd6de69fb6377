// OpenID Connect issuers: which URLs they may have, and which claims may give roles.
import { isMetadataHost } from '../../common/addresses.ts';
import { type Field, invalid, valid } from './field.ts';
import { nameLengthMax, visible } from './shared-fields.ts';

const urlLengthMax = 512;
const rowsMax = 50;
const clientIdLengthMax = 256;
const claimLengthMax = 256;

/** The rows of a request. */
export interface ClaimText {
  readonly claim: string;
  readonly value: string;
  readonly role: string;
}

export interface ClaimRow {
  readonly claim: string;
  readonly value: string;
  readonly role: 'admin' | 'member';
}

/**
 * @param isListed whether the platform's operator has opened the host and port, which then may be private or plain http
 */
export function issuerUrl(isListed: (hostAndPort: string) => boolean): (text: string) => Field<string> {
  return (text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const isPlainText = url !== undefined && url.username === '' && url.password === '' && !/[#?\s\\]/.test(text);
    if (!isPlainText || text.length > urlLengthMax || !['https:', 'http:'].includes(url.protocol)) {
      return invalid('must be a URL such as https://login.example.com, without credentials, query and fragment');
    }
    if (isMetadataHost(url.hostname.replace(/^\[|\]$/g, ''))) return invalid('must not be a host of instance metadata');
    if (url.protocol === 'http:' && !isListed(`${url.hostname}:${url.port === '' ? 80 : url.port}`)) {
      return invalid('must begin with https://, unless GATEWAY_PRIVATE_ISSUERS lists the host');
    }
    return valid(url.href);
  };
}

export function clientId(text: string): Field<string> {
  return visible(text, clientIdLengthMax);
}

/** @throws nothing; the problems name the row */
export function claimRows(rows: readonly ClaimText[]): Field<readonly ClaimRow[]> {
  if (rows.length > rowsMax) return invalid(`must be at most ${rowsMax} rows`);
  const read: ClaimRow[] = [];
  for (const [index, { claim, value, role }] of rows.entries()) {
    const isText = 'value' in visible(claim, nameLengthMax) && 'value' in visible(value, claimLengthMax);
    if (!isText) return invalid(`row ${index + 1} needs a claim and a value, both of visible characters`);
    // Owners are made by owners alone.
    if (role !== 'ROLE_ADMIN' && role !== 'ROLE_MEMBER') {
      return invalid(`row ${index + 1} must give ROLE_ADMIN or ROLE_MEMBER; no claim makes an owner`);
    }
    read.push({ claim, value, role: role === 'ROLE_ADMIN' ? 'admin' : 'member' });
  }
  return valid(read);
}
