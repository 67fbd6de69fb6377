// Opens the database of a URL, migrates it to the newest tables, and prunes the feed so that it does not grow for ever.
import type { Clock } from '../../common/clock.ts';
import type { Logger } from '../../common/logger.ts';
import type { DatabaseKind } from '../../proto/words/access.ts';
import type { AuditEvent } from './audit-chain.ts';
import { type Backend, createKyselyStore } from './kysely-store.ts';
import { openPostgres } from './postgres.ts';
import { startPruning } from './prune.ts';
import { openSqlite } from './sqlite.ts';
import type { Store } from './store.ts';

export interface OpenOptions {
  /** `sqlite:<path of the file>` or `postgres://…` */
  readonly url: string;
  readonly log: Logger;
  readonly clock: Clock;
  /** How long invalidations are kept. A proxy that was away for longer resolves everything again. */
  readonly changesKeptMs?: number;
  /** Called with each event of the audit log once its change is committed; it must not throw. */
  readonly onAuditEvent?: ((event: AuditEvent) => void) | undefined;
}

/** Seven days, far longer than the hour that a proxy may serve without the feed. */
export const defaultChangesKeptMs = 7 * 24 * 3_600_000;

/** @throws StoreUnavailableError, or an Error that describes the problem of the URL or the database */
export async function openStore(options: OpenOptions): Promise<Store> {
  const backend = await openBackend(options);
  const pruning = startPruning({
    backend,
    keptMs: options.changesKeptMs ?? defaultChangesKeptMs,
    log: options.log,
  });
  const store = createKyselyStore(backend, options.onAuditEvent);
  let closing: Promise<void> | undefined;
  const close = async () => {
    await pruning.stop();
    await store.close();
  };
  return {
    ...store,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

/** The kind of database of such a URL. */
export function databaseKind(url: string): DatabaseKind {
  return url.startsWith('sqlite:') ? 'sqlite' : 'postgres';
}

function openBackend({ url, log, clock }: OpenOptions): Promise<Backend> {
  const path = /^sqlite:(.+)$/.exec(url)?.[1];
  if (path !== undefined) return openSqlite(path, clock, log);
  if (/^postgres(ql)?:\/\//.test(url)) return openPostgres(url, log);
  // The message never contains the URL, because it may contain a password.
  return Promise.reject(new Error('the database URL must begin with sqlite: or postgres://'));
}
