// The control plane's database as the access protocol sees it: rows, revisions, changes, epochs, and, for checks, every
// earlier version. Every version of a row has its own mark, so that a record served by a proxy shows how old it is.
import type { Clock } from '../../../common/clock.ts';
import { Secret } from '../../../common/secret.ts';
import { platformRef, type RecordKind, refOf } from '../../../proxy/access/cached-record.ts';
import type { Position } from '../../../proxy/access/feed-state.ts';
import type { Principal } from '../../../proxy/access/principal.ts';
import type { Invalidation, ResolvedRecords } from '../../../proxy/access/records.ts';
import { usualSettings } from '../usual-settings.ts';

export interface Row {
  readonly kind: RecordKind;
  readonly ref: string;
  readonly id: string;
  readonly organizationId: string;
  /** The AI system of a key, if any. */
  readonly scopeId: string | undefined;
  readonly organizationRevision: number;
  readonly revision: number;
  readonly mark: string;
  readonly valueEndsAt: number | undefined;
}

export interface Version {
  readonly revision: number;
  readonly at: number;
  /** Undefined: the row did not exist. */
  readonly mark: string | undefined;
}

export interface Backup {
  readonly epoch: string;
  readonly revision: number;
  readonly continues: readonly Position[];
  readonly rows: ReadonlyMap<string, Row>;
  readonly changes: readonly (Invalidation & { readonly at: number })[];
}

/** The same number as the control plane sends. */
const continuesMax = 16;

export class FakeDatabase {
  epoch = 'epoch-1';
  revision = 0;
  prunedRevision = 0;
  /** The positions that the epoch continues, the newest first. */
  continues: readonly Position[] = [];
  /** Called after each commit. */
  onCommit: () => void = () => {};
  readonly #clock: Clock;
  #rows = new Map<string, Row>();
  #changes: (Invalidation & { readonly at: number })[] = [];
  /** `<epoch> <ref>` → versions in order of revision; `<ref>` → versions in order of time over all epochs. */
  readonly #versions = new Map<string, Version[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get position(): Position {
    return { epoch: this.epoch, revision: this.revision };
  }

  has(ref: string): boolean {
    return this.#rows.has(ref);
  }

  createOrganization(id: string): void {
    this.#write('organization', refOf('organization', id), { id, organizationId: id });
  }

  /** The platform's record exists from then on; its one stop, which stops no model, has the row's mark. */
  createPlatform(): void {
    this.#write('platform', platformRef, { id: 'platform', organizationId: '' });
  }

  createSystem(id: string, organizationId: string): void {
    this.#write('ai_system', refOf('ai_system', id), { id, organizationId });
  }

  createKey(hash: string, owner: { organizationId: string; scopeId?: string | undefined }): void {
    this.#write('key', hash, { id: `id-${hash}`, ...owner });
  }

  /** Writes the row again. */
  touch(ref: string, change: { readonly valueEndsAt?: number } = {}): void {
    const row = this.#rows.get(ref);
    if (row !== undefined) this.#write(row.kind, ref, { ...row, ...change });
  }

  /** A change of every organization at once, like that of a provider of the platform. */
  touchOrganizations(): void {
    this.revision += 1;
    for (const row of this.#rows.values()) if (row.kind === 'organization') this.#put(row);
    this.onCommit();
  }

  /** Revokes a key. */
  remove(ref: string): void {
    const row = this.#rows.get(ref);
    if (row === undefined) return;
    this.revision += 1;
    this.#rows.delete(ref);
    this.#record(ref, undefined);
    this.#change(row.kind, ref, 'gone');
    this.onCommit();
  }

  backup(): Backup {
    const { epoch, revision, continues } = this;
    return { epoch, revision, continues, rows: new Map(this.#rows), changes: [...this.#changes] };
  }

  /**
   * Starts an epoch that continues everything: the control plane restarted, or a standby with all data was promoted.
   */
  restart(): void {
    this.#continueFrom(this);
    this.onCommit();
  }

  /** The revision of the present epoch that a position counts as. */
  counted({ epoch, revision }: Position): number | undefined {
    if (epoch === this.epoch) return revision;
    const way = this.continues.slice(0, this.continues.findIndex((each) => each.epoch === epoch) + 1);
    return way.length > 0 && way.every((each) => revision <= each.revision) ? revision : undefined;
  }

  #continueFrom({ epoch, revision, continues }: Pick<Backup, 'epoch' | 'revision' | 'continues'>): void {
    const next = `epoch-${Number(this.epoch.slice(6)) + 1}`;
    for (const [name, versions] of [...this.#versions]) {
      if (!name.startsWith(`${epoch} `)) continue;
      const kept = versions.filter((version) => version.revision <= revision);
      this.#versions.set(`${next} ${name.slice(epoch.length + 1)}`, kept);
    }
    this.continues = [{ epoch, revision }, ...continues].slice(0, continuesMax);
    this.epoch = next;
  }

  /** Returns to a backup, or to another history: either way a new epoch that continues the backup. */
  restore(backup: Backup): void {
    const refs = new Set([...this.#rows.keys(), ...backup.rows.keys()]);
    this.#continueFrom(backup);
    this.revision = backup.revision;
    this.prunedRevision = Math.min(this.prunedRevision, backup.revision);
    this.#rows = new Map(backup.rows);
    this.#changes = [...backup.changes];
    for (const ref of refs) this.#record(ref, this.#rows.get(ref)?.mark);
    this.onCommit();
  }

  prune(): void {
    this.prunedRevision = this.revision;
    this.#changes = [];
  }

  changesAfter(revision: number): readonly Invalidation[] {
    return this.#changes.filter((change) => change.revision > revision);
  }

  /** The last revision at or before a monotonic time, but not before the pruned ones. */
  revisionAt(time: number): number {
    const before = this.#changes.filter((change) => change.at <= time);
    return before.at(-1)?.revision ?? this.prunedRevision;
  }

  resolve(hash: string): ResolvedRecords {
    const key = this.#rows.get(hash);
    return { asOf: this.position, principal: key && this.#principal(key) };
  }

  /** All versions of the row in an epoch, or ever. */
  versions(ref: string, epoch?: string): readonly Version[] {
    return this.#versions.get(epoch === undefined ? ref : `${epoch} ${ref}`) ?? [];
  }

  #principal(key: Row): Principal {
    const organization = this.#rows.get(refOf('organization', key.organizationId));
    const scope = key.scopeId === undefined ? undefined : this.#rows.get(refOf('ai_system', key.scopeId));
    if (organization === undefined) throw new Error('a key without its organization');
    const platform = this.#rows.get(platformRef);
    const shared = (row: Row) => ({
      active: true,
      allowedModels: [row.mark],
      limits: [],
      revision: row.revision,
    });
    return {
      key: {
        ...shared(key),
        keyId: key.id,
        organizationId: key.organizationId,
        scope: scope ? { kind: 'ai_system', id: scope.id } : { kind: 'organization', id: key.organizationId },
        endsAt: undefined,
        valueEndsAt: key.valueEndsAt,
        organizationRevision: key.organizationRevision,
      },
      scope: scope && {
        ...shared(scope),
        kind: 'ai_system',
        id: scope.id,
        organizationId: scope.organizationId,
      },
      organization: {
        ...shared(organization),
        id: organization.id,
        ...usualSettings,
        providerKeys: [providerKey(organization.mark)],
        customProviders: [customProvider(organization.mark)],
        prices: [],
        guardrails: [],
      },
      platform: { stops: platform === undefined ? [] : [stopMarked(platform.mark)] },
    };
  }

  #write(kind: RecordKind, ref: string, row: Partial<Row> & Pick<Row, 'id' | 'organizationId'>): void {
    this.revision += 1;
    const { id, organizationId, scopeId, valueEndsAt } = row;
    this.#put({ kind, ref, id, organizationId, scopeId, valueEndsAt });
    this.onCommit();
  }

  /** Writes a row under the present revision. */
  #put(row: Omit<Row, 'organizationRevision' | 'revision' | 'mark'>): void {
    const mark = `${this.epoch}/${this.revision}`;
    const organization = this.#rows.get(refOf('organization', row.organizationId));
    const organizationRevision = organization?.revision ?? 0;
    this.#rows.set(row.ref, { ...row, organizationRevision, revision: this.revision, mark });
    this.#record(row.ref, mark);
    this.#change(row.kind, row.ref, 'changed');
  }

  #record(ref: string, mark: string | undefined): void {
    const version = { revision: this.revision, at: this.#clock.monotonic(), mark };
    for (const name of [ref, `${this.epoch} ${ref}`]) {
      const versions = this.#versions.get(name);
      if (versions === undefined) this.#versions.set(name, [version]);
      else versions.push(version);
    }
  }

  #change(kind: RecordKind, ref: string, state: Invalidation['state']): void {
    this.#changes.push({ kind, ref, revision: this.revision, state, at: this.#clock.monotonic() });
  }
}

function customProvider(mark: string) {
  return {
    ...{
      id: 'provider',
      name: 'in-cluster',
      wireFormat: 'gpt-provider',
      keyForm: 'none' as const,
      models: [],
    },
    baseUrl: `https://models.example/${mark}`,
  };
}

function stopMarked(mark: string) {
  return {
    ...{ id: 'stop', provider: 'nobody', model: undefined, directKeys: false },
    ...{ reason: mark, endsAt: undefined },
  };
}

function providerKey(mark: string) {
  const secret = {
    apiKey: new Secret(`secret-of-${mark}`),
    accessKeyId: undefined,
    secretAccessKey: undefined,
    sessionToken: undefined,
  };
  const settings = { baseUrl: undefined, endpoint: undefined, region: undefined, apiVersion: undefined };
  return { id: 'provider-key', provider: 'gpt-provider', secret, ...settings, priority: 0, weight: 1 };
}
