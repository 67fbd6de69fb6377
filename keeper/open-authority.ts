// Opens the source of certificates: the keeper's own authority, or a file of another one.
import { readFile } from 'node:fs/promises';
import { createCertificateEnds } from '../common/certificate-ends.ts';
import { startFileWatcher } from '../common/file-watcher.ts';
import type { Leadership } from './api/leadership.ts';
import { createCertificateKeeper } from './authority/keep.ts';
import { createTenantKeeper } from './authority/tenants.ts';
import type { Certificates, Shared } from './shared.ts';
import { startTask } from './shared.ts';

export interface AuthorityOptions {
  readonly leadership: Leadership;
  /** Namespaces with sidecars, as far as known. */
  tenants(): Iterable<string>;
  /** Called when the authorities may have changed. */
  onBundle(): void;
}

/** Certificates are valid for weeks, but an installation waits for its first ones. */
const everyMsMax = 10_000;

export function openAuthority(
  { settings, client, clock, log, timers, metrics, lifecycle }: Shared,
  { leadership, tenants, onBundle }: AuthorityOptions,
): Certificates {
  const { namespace, certificateLife: certificateLifeMs, authorityLife: authorityLifeMs } = settings;
  const isLeader = () => leadership.isLeader();
  const certificates = createCertificateKeeper({
    client,
    clock,
    log,
    namespace,
    certificateLifeMs,
    authorityLifeMs,
    isLeader,
  });
  const tenantKeeper = createTenantKeeper({
    certificates,
    clock,
    log,
    namespace,
    isLeader,
    tenants: () => [...settings.tenants, ...tenants()],
  });
  const run = async () => {
    const before = certificates.bundle;
    await certificates.run();
    if (certificates.bundle !== before) onBundle();
    ofTenants.wake();
  };
  const taskDeps = { log, timers, metrics };
  const ofTenants = startTask({ task: 'tenants', everyMs: 60_000, run: () => tenantKeeper.run() }, taskDeps);
  const everyMs = Math.min(everyMsMax, certificateLifeMs / 10);
  const own = startTask({ task: 'certificates', everyMs, run }, taskDeps);
  lifecycle.onClose('certificates', async () => {
    await own.close();
    await ofTenants.close();
  });
  return {
    bundle: () => certificates.bundle,
    ends: () => certificates.ends(),
    wake: () => own.wake(),
  };
}

/**
 * Another program, such as cert-manager, manages the authority that signs the injector's certificate. Reads it from a
 * file, which may appear after the keeper has started.
 */
export async function openCaFile(
  { settings: { caFile = '' }, log, lifecycle }: Shared,
  onChange: () => void,
): Promise<Certificates> {
  const read = () => readFile(caFile, 'utf8').catch(() => '');
  const what = 'the webhooks’ authority';
  const source = startFileWatcher(await read(), { read, file: caFile, what }, { log });
  lifecycle.onClose(what, () => source.close());
  source.onChange(onChange);
  const bundle = () => (source.current.trim() === '' ? undefined : source.current);
  const ends = createCertificateEnds();
  ends.authorities('webhook_authorities', bundle);
  return { bundle, ends: () => ends.read(), wake: () => {} };
}
