// Trust rows of service accounts: which outside tokens fit. A token fits a row if its audience is the row's alone and
// each claim has the row's value, or begins with it where the value ends in `*`. Pure.
import { isObject, parseJson } from '../../common/json.ts';
import { aList, aRecord, aString } from '../../common/json-shape.ts';
import { each, type Field, invalid, problemsAt, valid } from './field.ts';
import { issuerUrl } from './issuer.ts';
import { nameLengthMax, visible } from './shared-fields.ts';

const rowsMax = 20;
const claimsMax = 20;
const audienceLengthMax = 256;
const valueLengthMax = 512;

export interface TrustClaim {
  readonly claim: string;
  readonly value: string;
}

/** A row without its id. */
export interface Trust {
  readonly issuer: string;
  readonly audience: string;
  readonly claims: readonly TrustClaim[];
}

/** The form of the column `claims`. */
export const trustClaims = aList(aRecord<TrustClaim>({ claim: aString, value: aString }));

/** @param isListed whether the platform's operator has opened the host and port, as for issuers of the console */
export function trustRows(
  isListed: (hostAndPort: string) => boolean,
): (rows: readonly Trust[]) => Field<readonly Trust[]> {
  return (rows) => {
    if (rows.length > rowsMax) return invalid(`must be at most ${rowsMax} rows`);
    const read = each((row) => trustRow(row, isListed), rows);
    if ('problems' in read) return read;
    const texts = new Set(read.value.map((row) => JSON.stringify(row)));
    return texts.size === rows.length ? read : invalid('must not contain a row twice');
  };
}

function trustRow({ issuer, audience, claims }: Trust, isListed: (hostAndPort: string) => boolean): Field<Trust> {
  const url = issuerUrl(isListed)(issuer);
  const problems = [
    ...problemsAt('.issuer', url),
    ...problemsAt('.audience', visible(audience, audienceLengthMax)),
    ...problemsAt('.claims', trustClaimList(claims)),
  ];
  if (problems.length > 0) return { problems };
  const sorted = claims.map(({ claim, value }) => ({ claim, value })).toSorted((a, b) => (a.claim < b.claim ? -1 : 1));
  return valid({ issuer, audience, claims: sorted });
}

function trustClaimList(claims: readonly TrustClaim[]): Field<readonly TrustClaim[]> {
  if (claims.length > claimsMax) return invalid(`must be at most ${claimsMax} claims`);
  const read = each(trustClaim, claims);
  if ('problems' in read) return read;
  const names = claims.map(({ claim }) => claim);
  if (new Set(names).size < names.length) return invalid('must name each claim once');
  // Issuers such as those of CI services have tokens for everybody in the world.
  return names.includes('sub') ? read : invalid('must name `sub`: whose tokens fit');
}

function trustClaim({ claim, value }: TrustClaim): Field<TrustClaim> {
  if (!('value' in visible(claim, nameLengthMax)))
    return invalid(`must name a claim of 1 to ${nameLengthMax} characters`);
  if (['iss', 'aud', 'exp', 'nbf', 'iat', 'jti'].includes(claim))
    return invalid(`cannot be \`${claim}\`, which is checked anyway`);
  const text = visible(value, valueLengthMax);
  if ('problems' in text) return text;
  if (value.slice(0, -1).includes('*')) return invalid('may have one `*`, at its end');
  return claim === 'sub' && value === '*' ? invalid('must not be `*` alone for `sub`') : valid({ claim, value });
}

/** The claims of a verified token. */
export type Claims = Readonly<Record<string, unknown>>;

/** `iss` of a token that is not verified yet; undefined if it is no JSON Web Token. */
export function claimedIssuer(token: string): string | undefined {
  const [, payload = ''] = token.split('.', 3);
  const claims = parseJson(Buffer.from(payload, 'base64url').toString());
  return isObject(claims) && typeof claims.iss === 'string' ? claims.iss : undefined;
}

/** @returns what does not fit: `aud`, or the name of a claim; undefined if all fits */
export function misfit(trust: Pick<Trust, 'audience' | 'claims'>, claims: Claims): string | undefined {
  if (!isOnlyAudience(claims.aud, trust.audience)) return 'aud';
  return trust.claims.find(({ claim, value }) => !fits(value, Object.hasOwn(claims, claim) ? claims[claim] : undefined))
    ?.claim;
}

/** Another audience of the same token could use it here. */
function isOnlyAudience(aud: unknown, audience: string): boolean {
  return aud === audience || (Array.isArray(aud) && aud.length === 1 && aud[0] === audience);
}

function fits(value: string, claim: unknown): boolean {
  const text = typeof claim === 'boolean' || typeof claim === 'number' ? String(claim) : claim;
  if (typeof text !== 'string') return false;
  return value.endsWith('*') ? text.startsWith(value.slice(0, -1)) : text === value;
}

/** A projected token of Kubernetes is a file that is read many times, so it may be used until it ends. */
export function isProjectedToken({ sub, ...claims }: Claims): boolean {
  const pod = claims['kubernetes.io'];
  if (typeof pod !== 'object' || pod === null || !('namespace' in pod) || !('serviceaccount' in pod)) return false;
  const { namespace, serviceaccount: account } = pod;
  const name = typeof account === 'object' && account !== null && 'name' in account ? account.name : undefined;
  return typeof name === 'string' && sub === `system:serviceaccount:${String(namespace)}:${name}`;
}
