// Checks the token: whether it is an operator's token, whether it is accepted, and to whom it belongs. Pure; the token
// is never shown.
import { credentialPrefixes, isWellFormedCredential } from '../../common/credential.ts';
import type { Secret } from '../../common/secret.ts';
import { type Finding, failed, ok, skipped, span, warning } from './finding.ts';
import { hasResponded, type ProbeResult, type StatusResponse } from './probe.ts';

export function checkToken(token: Secret | undefined, results: readonly ProbeResult[], now: number): Finding {
  if (token === undefined) return failed('token', 'there is no token for this server', 'run: gatewayctl login');
  const problem = formProblem(token.reveal());
  if (problem !== undefined)
    return failed('token', problem, 'run: gatewayctl login, with a token of an operator (gw-op-…)');
  const response = results.find(hasResponded);
  if (response !== undefined) return checkCaller(response, now);
  if (results.some((one) => !hasResponded(one) && one.code === 'UNAUTHENTICATED'))
    return failed(
      'token',
      'the control plane does not accept the token: it is unknown there, revoked or past its end, or its person or organization is suspended',
      'check that the context names the right server; else have a new one made, and run: gatewayctl login',
    );
  return skipped('token', 'it is well-formed; it could not be looked up');
}

function formProblem(token: string): string | undefined {
  if (isWellFormedCredential('operator', token)) return undefined;
  if (token.startsWith(credentialPrefixes.operator)) return 'the token is malformed: something is missing or mistyped';
  if (token.startsWith(credentialPrefixes.proxy)) return 'the token is a proxy’s, which opens nothing for operators';
  if (token.startsWith(credentialPrefixes.virtualKey))
    return 'the token is a virtual key, which opens the gateway for applications only';
  if (token.startsWith(credentialPrefixes.bootstrap))
    return 'the token is the bootstrap token, which makes the first platform operator and nothing else';
  return 'the given token is none of the gateway’s';
}

const roles: Readonly<Record<string, string>> = {
  ROLE_OWNER: 'owner',
  ROLE_ADMIN: 'admin',
  ROLE_MEMBER: 'member',
  ROLE_PLATFORM_OPERATOR: 'platform operator',
};

/** Warn this long before the end; a token lasts at most 90 days. */
const soonMs = 7 * 86_400_000;

function checkCaller({ status: { caller } }: StatusResponse, now: number): Finding {
  if (caller === null) return ok('token', 'it is accepted');
  const { name, organizationId, tokenEndsAt } = caller;
  const role = roles[caller.role] ?? 'in a role that this gatewayctl does not know';
  const where = organizationId === undefined ? '' : ` of organization ${organizationId}`;
  const left = Date.parse(tokenEndsAt) - now;
  const says = `it is ${name}’s, ${role}${where}; it ends in ${span(left)}`;
  if (left >= soonMs) return ok('token', says);
  return warning('token', says, 'have a new one made before that, and run: gatewayctl login');
}
