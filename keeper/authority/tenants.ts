// Certificates of sidecars in the namespaces of apps: those that are named, and those whose label says that they have sidecars.
// A namespace without the Secret or the right to it (deploy/tenant-plain-certificates brings both) does not want that.
import type { Clock } from '../../common/clock.ts';
import type { Logger } from '../../common/logger.ts';
import { type CertificateKeeper, isUnwanted } from './keep.ts';
import { tenantLeaf } from './leaves.ts';

export interface TenantDeps {
  readonly certificates: Pick<CertificateKeeper, 'keepLeaf'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** The gateway's own. */
  readonly namespace: string;
  /** Namespaces, as they are now. */
  tenants(): Iterable<string>;
  isLeader(): boolean;
}

export interface TenantKeeper {
  /** Looks at those that are due. @throws Error, as long as the last look at any of them has failed: it names them */
  round(): Promise<void>;
}

/** Of a namespace when it was last looked at. */
type Found = { readonly kind: 'whole' | 'unwanted' } | { readonly kind: 'failed'; readonly error: unknown };

interface Looked {
  readonly found: Found;
  /** Monotonic. */
  readonly dueAt: number;
}

/** Renewing has a third of a certificate's life to happen in. */
const everyMs = 600_000;
/** Whoever prepares a namespace waits for it. */
const retryMs = 60_000;
/** A round does not hold up the next one. */
const atOnceMax = 100;
const namedMax = 5;

export function createTenantKeeper(deps: TenantDeps): TenantKeeper {
  return new Tenants(deps);
}

class Tenants implements TenantKeeper {
  readonly #deps: TenantDeps;
  /** Those that are not here have not been looked at yet. */
  readonly #looked = new Map<string, Looked>();

  constructor(deps: TenantDeps) {
    this.#deps = deps;
  }

  async round(): Promise<void> {
    const { isLeader, clock } = this.#deps;
    // What another keeper has done by the time that this one acts again is not known here.
    if (!isLeader()) return this.#looked.clear();
    const tenants = new Set(this.#deps.tenants());
    for (const gone of [...this.#looked.keys()].filter((name) => !tenants.has(name)))
      this.#looked.delete(gone);
    const dueAt = (name: string) => this.#looked.get(name)?.dueAt ?? 0;
    const due = [...tenants]
      .filter((name) => dueAt(name) <= clock.monotonic())
      // Those that fail again and again do not keep others waiting.
      .sort((one, other) => dueAt(one) - dueAt(other))
      .slice(0, atOnceMax);
    for (const tenant of due) await this.#look(tenant);
    this.#complain();
  }

  async #look(tenant: string): Promise<void> {
    const { clock, log, namespace, certificates } = this.#deps;
    const leaf = tenantLeaf(namespace);
    const place = { namespace: tenant, name: leaf.secret };
    const was = this.#looked.get(tenant)?.found.kind;
    try {
      // Without an authority, say: it stays due.
      if (!(await certificates.keepLeaf(leaf, place))) return;
      this.#looked.set(tenant, { found: { kind: 'whole' }, dueAt: clock.monotonic() + everyMs });
    } catch (error) {
      const found: Found = isUnwanted(error) ? { kind: 'unwanted' } : { kind: 'failed', error };
      this.#looked.set(tenant, { found, dueAt: clock.monotonic() + retryMs });
      if (found.kind === 'unwanted' && was !== 'unwanted')
        log.info({ err: error, namespace: tenant }, 'no certificate is made there');
    }
  }

  /** @throws Error */
  #complain(): void {
    const failed = [...this.#looked].flatMap(([name, { found }]) =>
      found.kind === 'failed' ? [{ name, error: found.error }] : [],
    );
    const [first] = failed;
    if (first === undefined) return;
    const names = failed.slice(0, namedMax).map(({ name }) => name);
    const more = failed.length > namedMax ? ` and ${failed.length - namedMax} more` : '';
    throw new Error(`certificates of sidecars cannot be kept in ${names.join(', ')}${more}`, {
      cause: first.error,
    });
  }
}
