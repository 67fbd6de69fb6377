// The sidecars' certificates in app namespaces: the configured namespaces, and those whose label requests sidecars. A
// namespace opts in by the Secret and the right to it (both in deploy/tenant-plain-certificates).
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
  /** The current app namespaces. */
  tenants(): Iterable<string>;
  isLeader(): boolean;
}

export interface TenantKeeper {
  /** Checks the namespaces that are due. @throws Error that names the namespaces whose last check failed */
  run(): Promise<void>;
}

/** The result of the last check of a namespace. */
type TenantState = { readonly kind: 'whole' | 'unwanted' } | { readonly kind: 'failed'; readonly error: unknown };

interface Looked {
  readonly found: TenantState;
  /** Monotonic. */
  readonly dueAt: number;
}

/** A renewal may happen at any time in the last third of a certificate's life. */
const everyMs = 600_000;
/** Short, because an operator who prepares a namespace waits for it. */
const retryMs = 60_000;
/** Bounds a run, so that it does not delay the next one. */
const atOnceMax = 100;
const namedMax = 5;

export function createTenantKeeper(deps: TenantDeps): TenantKeeper {
  return new Tenants(deps);
}

class Tenants implements TenantKeeper {
  readonly #deps: TenantDeps;
  /** Missing namespaces have not been checked yet. */
  readonly #looked = new Map<string, Looked>();

  constructor(deps: TenantDeps) {
    this.#deps = deps;
  }

  async run(): Promise<void> {
    const { isLeader, clock } = this.#deps;
    // Another keeper may change everything before this one leads again.
    if (!isLeader()) return this.#looked.clear();
    const tenants = new Set(this.#deps.tenants());
    for (const gone of [...this.#looked.keys()].filter((name) => !tenants.has(name))) this.#looked.delete(gone);
    const dueAt = (name: string) => this.#looked.get(name)?.dueAt ?? 0;
    const due = [...tenants]
      .filter((name) => dueAt(name) <= clock.monotonic())
      // Least recently due first, so that repeated failures do not delay other namespaces.
      .sort((one, other) => dueAt(one) - dueAt(other))
      .slice(0, atOnceMax);
    for (const tenant of due) await this.#look(tenant);
    this.#complain();
  }

  async #look(tenant: string): Promise<void> {
    const { clock, log, namespace, certificates } = this.#deps;
    const leaf = tenantLeaf(namespace);
    const stored = { namespace: tenant, name: leaf.secret };
    const was = this.#looked.get(tenant)?.found.kind;
    try {
      // False for example without an authority; the namespace stays due.
      if (!(await certificates.keepLeaf(leaf, stored))) return;
      this.#looked.set(tenant, { found: { kind: 'whole' }, dueAt: clock.monotonic() + everyMs });
    } catch (error) {
      const found: TenantState = isUnwanted(error) ? { kind: 'unwanted' } : { kind: 'failed', error };
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
