// What Entra does in its own way: its `sub` differs by client, so a person is `tid` and `oid`; its addresses can be
// changed by each tenant's administrators.
import { isUuid } from '../../common/uuid.ts';

const hosts = [
  'login.microsoftonline.com',
  'login.microsoftonline.us',
  'login.partner.microsoftonline.cn',
  'sts.windows.net',
];

/** @param issuer its URL */
export function isEntra(issuer: string): boolean {
  return URL.canParse(issuer) && hosts.includes(new URL(issuer).hostname);
}

export function entraSubject(tid: string, oid: string): string {
  return `${tid} ${oid}`;
}

/** The subject of a user whose id at the issuer is known from provisioning; undefined: the id says too little. */
export function subjectOf(issuer: string, externalId: string): string | undefined {
  if (!isEntra(issuer)) return externalId;
  const [, tid = ''] = new URL(issuer).pathname.split('/');
  const oid = externalId.toLowerCase();
  return isUuid(tid) && isUuid(oid) ? entraSubject(tid, oid) : undefined;
}
