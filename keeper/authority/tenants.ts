// Certificates of sidecars in the namespaces of apps: those that are named, and those whose label says that they have sidecars.
// A namespace without the Secret or the right to it (deploy/tenant-plain-certificates brings both) does not want that.
import type { Clock } from '../../common/clock.ts';
import type { Logger } from '../../common/logger.ts';
import { type CertificateKeeper, isUnwanted } from './keep.ts';
import { tenantLeaf } from './leaves.ts';

export interface TenantDeps {
  readonly certificates: CertificateKeeper;
  readonly clock: Clock;
  readonly log: Logger;
  /** The gateway's own. */
  readonly namespace: string;
  /** Namespaces, as they are now. */
  tenants(): Iterable<string>;
  isLeader(): boolean;
}

export interface TenantKeeper {
  /** Looks at those that are due. @throws Error: the first failure, after all were looked at */
  round(): Promise<void>;
}

/** Renewing has a third of a certificate's life to happen in. */
const everyMs = 600_000;
/** Whoever prepares a namespace waits for it. */
const unwantedEveryMs = 60_000;
/** A round does not hold up the next one. */
const atOnceMax = 100;

export function createTenantKeeper(deps: TenantDeps): TenantKeeper {
  const { certificates, clock, log } = deps;
  const dueAt = new Map<string, number>();
  const unwanted = new Set<string>();
  const leaf = tenantLeaf(deps.namespace);
  const keep = async (tenant: string) => {
    try {
      await certificates.keepLeaf(leaf, { namespace: tenant, name: leaf.secret });
      dueAt.set(tenant, clock.monotonic() + everyMs);
      unwanted.delete(tenant);
    } catch (error) {
      dueAt.set(tenant, clock.monotonic() + unwantedEveryMs);
      if (!isUnwanted(error)) throw error;
      if (!unwanted.has(tenant)) log.info({ err: error, namespace: tenant }, 'no certificate is made there');
      unwanted.add(tenant);
    }
  };
  return {
    round: async () => {
      if (!deps.isLeader()) return;
      const tenants = new Set(deps.tenants());
      for (const gone of [...dueAt.keys()].filter((name) => !tenants.has(name))) dueAt.delete(gone);
      const due = [...tenants]
        .filter((name) => (dueAt.get(name) ?? 0) <= clock.monotonic())
        .slice(0, atOnceMax);
      const failures: unknown[] = [];
      for (const tenant of due) await keep(tenant).catch((error: unknown) => failures.push(error));
      if (failures.length > 0) throw failures[0];
    },
  };
}
