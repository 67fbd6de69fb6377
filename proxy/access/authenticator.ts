// Turns credentials into a caller who may continue: the records exist, the key is active and not expired, nobody is
// suspended, both keys are of one organization, and the caller's own provider keys are allowed and not stopped if they
// are sent. The order of refusals is part of the interface.
import { hashCredential, isWellFormedCredential } from '../../common/credential.ts';
import { GatewayError, specificMessages } from '../errors.ts';
import type { Credentials } from './credentials.ts';
import type { OrganizationRecord, Principal, RecordSource } from './principal.ts';
import { stopOfDirectKeys, stoppedError } from './stops.ts';

export interface Caller {
  readonly principal: Principal;
  /** The project key's records if a provider route got both keys: its limits apply as well. */
  readonly project: Principal | undefined;
  readonly direct: boolean;
  /** Values by the names that the organization has chosen, of this request. Absent: none. */
  readonly tags?: ReadonlyMap<string, string>;
}

export interface AuthenticatorDeps {
  readonly records: RecordSource;
  /** Milliseconds since 1970. */
  now(): number;
}

/**
 * @throws GatewayError access_not_found, access_blocked, access_unavailable, conflicting_credentials,
 * policy_access_denied, stopped_by_operator
 */
export async function authenticate(
  deps: AuthenticatorDeps,
  credentials: Credentials,
  address: string,
): Promise<Caller> {
  const { virtualKey, projectKey } = credentials;
  const project = projectKey === undefined ? undefined : usable(await find(deps, projectKey, address), deps.now());
  const found = find(deps, virtualKey, address);
  // Nothing is awaited if memory has the records.
  const principal = usable(found instanceof Promise ? await found : found, deps.now());
  if (project !== undefined && project.organization.id !== principal.organization.id) {
    throw new GatewayError('conflicting_credentials', {
      message: 'the virtual key and the project key belong to different organizations',
    });
  }
  if (credentials.direct) expectDirectKeys(principal, deps.now());
  return { principal, project, direct: credentials.direct };
}

/** A stop comes after the setting, whose refusal is the specification's. */
function expectDirectKeys(principal: Principal, now: number): void {
  if (!principal.organization.callerProviderKeys) throw new GatewayError('policy_access_denied');
  const stop = stopOfDirectKeys(principal, now);
  if (stop !== undefined) throw stoppedError(stop);
}

function find(deps: AuthenticatorDeps, value: string, address: string): Principal | Promise<Principal> {
  if (!isWellFormedCredential('virtualKey', value)) throw new GatewayError('access_not_found');
  return deps.records.find(hashCredential(value), address);
}

function usable(principal: Principal, now: number): Principal {
  const { key, scope, organization } = principal;
  if (!key.active) throw new GatewayError('access_blocked');
  if (key.endsAt !== undefined && now >= key.endsAt) {
    throw new GatewayError('access_blocked', { message: specificMessages.expired });
  }
  if (!isActive(organization, now) || scope?.active === false) throw new GatewayError('access_blocked');
  return principal;
}

function isActive({ active, suspendedUntil }: OrganizationRecord, now: number): boolean {
  return active || (suspendedUntil !== undefined && now >= suspendedUntil);
}
