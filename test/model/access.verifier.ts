// Decides which results of a proxy are allowed, from the full history of the database and from what the proxy's feed
// has delivered.
import { platformRef, refOf } from '../../proxy/access/cached-record.ts';
import { accessLimits } from '../../proxy/access/limits.ts';
import type { Principal } from '../../proxy/access/principal.ts';
import type { FakeDatabase, Version } from '../support/access/database.ts';
import type { VirtualTime } from '../support/virtual-time.ts';
import { type ModelProxy, maxStaleMs, skewMs } from './access.proxy.ts';

export class Violation extends Error {}

export interface Case {
  readonly database: FakeDatabase;
  readonly time: VirtualTime;
  readonly proxy: ModelProxy;
  readonly hash: string;
  /** Whether only the current state of the database is allowed. */
  readonly mustBeNow: boolean;
}

/** @returns the reason why admitting this principal now is wrong, if any */
export function verifyAdmission(at: Case, principal: Principal): string | undefined {
  if (principal.key.keyId !== `id-${at.hash}`) return `another key's record was served: ${principal.key.keyId}`;
  const { customProviders, id, providerKeys } = principal.organization;
  if (id !== principal.key.organizationId) return 'the organization is not the key’s';
  if (principal.organization.revision < principal.key.organizationRevision)
    return 'the organization is older than the key needs';
  const [organizationMark] = principal.organization.allowedModels;
  if (providerKeys[0]?.secret.apiKey?.reveal() !== `secret-of-${organizationMark}`)
    return 'the provider key is not the organization’s';
  if (customProviders[0]?.baseUrl !== `https://models.example/${organizationMark}`)
    return 'the custom provider is not the organization’s';
  const served = [
    [at.hash, principal.key.allowedModels[0]],
    [refOf('organization', id), organizationMark],
    [platformRef, principal.platform?.stops[0]?.reason],
    ...(principal.scope ? [[refOf('ai_system', principal.scope.id), principal.scope.allowedModels[0]]] : []),
  ] as const;
  for (const [ref = '', mark = ''] of served) {
    const wrong = verifyMark(at, ref, mark);
    if (wrong !== undefined) return `${ref}: ${wrong}`;
  }
  return undefined;
}

/** @returns the reason why refusing the key as unknown now is wrong, if any */
export function verifyRefusal(at: Case, startedAt: number): string | undefined {
  const since = startedAt - accessLimits.unknownForMs - accessLimits.resolveDeadlineMs;
  if (at.mustBeNow && at.database.has(at.hash)) return 'a key that exists is refused though all is well';
  // A silent feed reports late that a key is gone, and the proxy remembers that until the feed reports the key again.
  // Keys only come back in this model; in reality a revocation is final.
  const wasReported = (at.proxy.goneAt.get(at.hash) ?? Number.NEGATIVE_INFINITY) >= since;
  if (!wasReported && !validSince(at.database.versions(at.hash), undefined, since))
    return 'a key that existed all the time is refused';
  return contradictsFeed(at, at.hash, undefined)
    ? 'the feed has passed the creation of a key that is refused'
    : undefined;
}

function verifyMark(at: Case, ref: string, mark: string): string | undefined {
  const now = at.time.monotonic();
  const versions = at.database.versions(ref);
  if (at.mustBeNow && versions.at(-1)?.mark !== mark) return `${mark} is served though all is well`;
  if (contradictsFeed(at, ref, mark))
    return `${mark} is served, but the feed has passed ${at.proxy.passed?.epoch}/${at.proxy.passed?.revision}`;
  const slackMs = 1_000;
  if (!validSince(versions, mark, now - maxStaleMs - 2 * skewMs - slackMs)) return `${mark} is older than MAX_STALE`;
  const calm = now - at.proxy.troubledAt > accessLimits.staleGraceMs + slackMs;
  if (calm && !validSince(versions, mark, now - accessLimits.freshForMs - slackMs))
    return `${mark} is older than 20 s though the control plane responds`;
  return undefined;
}

/** Whether the row never had this state at or after the position that the feed has delivered. */
function contradictsFeed({ database, proxy }: Case, ref: string, mark: string | undefined): boolean {
  const { passed } = proxy;
  if (passed === undefined) return false;
  const versions = database.versions(ref, passed.epoch);
  if (versions.length === 0) return mark !== undefined;
  if (mark === undefined && passed.revision < (versions[0]?.revision ?? 0)) return false;
  return !versions.some(
    (version, index) =>
      version.mark === mark && (versions[index + 1]?.revision ?? Number.POSITIVE_INFINITY) > passed.revision,
  );
}

/** Whether the row had this state at some time since then. */
function validSince(versions: readonly Version[], mark: string | undefined, since: number): boolean {
  if (mark === undefined && (versions[0]?.at ?? Number.POSITIVE_INFINITY) > since) return true;
  return versions.some(
    (version, index) => version.mark === mark && (versions[index + 1]?.at ?? Number.POSITIVE_INFINITY) >= since,
  );
}
