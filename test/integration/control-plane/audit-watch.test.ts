// The audit log verifies itself and anchors its head outside the database, over both databases: changes by an attacker
// with full write access to the database are detected from the log, the folder and the webhook.
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AuditAnchor, anchorSignature, readAnchorLine } from '../../../common/audit-anchor.ts';
import { createLogger } from '../../../common/logger.ts';
import { contradiction } from '../../../control-plane/audit/anchors.ts';
import { AuditWatch, type AuditWatchDeps } from '../../../control-plane/audit/watch.ts';
import { auditHash, chainStart } from '../../../control-plane/store/audit-chain.ts';
import type { Store } from '../../../control-plane/store/store.ts';
import { describeStores } from '../../support/databases.ts';
import { deliveries, storeWebhook } from '../../support/notice-rows.ts';
import { change, insertOrganization } from '../../support/stored-records.ts';

/** A day and a minute, because the database has its own clock. */
const dayMs = 86_460_000;
const { publicKey, privateKey } = generateKeyPairSync('ed25519');

/**
 * Hashes all events again from one on, and updates the end of the chain in the feed, as an attacker with write access
 * to the database would.
 */
async function hashAnew(store: Store, from: number): Promise<void> {
  await store.ledger(async ({ db }) => {
    const events = await db.selectFrom('audit_events').selectAll().orderBy('revision').execute();
    let previous = chainStart;
    for (const event of events) {
      const content = event.revision === from ? { ...event, actor_id: 'somebody else' } : event;
      const hash = event.revision < from ? event.hash : auditHash(previous, content);
      await db
        .updateTable('audit_events')
        .set({ actor_id: content.actor_id, previous_hash: previous, hash })
        .where('revision', '=', event.revision)
        .execute();
      previous = hash;
    }
    await db.updateTable('feed').set({ audit_hash: previous }).execute();
  });
}

async function cutTail(store: Store, to: number): Promise<void> {
  await store.ledger(async ({ db }) => {
    await db.deleteFrom('audit_events').where('revision', '>', to).execute();
    const last = await db.selectFrom('audit_events').select('hash').where('revision', '=', to).execute();
    await db
      .updateTable('feed')
      .set({ revision: to, audit_hash: last[0]?.hash ?? '' })
      .execute();
  });
}

/** The row of checks as an attacker who can write it would leave it, to hide the attack. */
async function hideChecks(store: Store): Promise<void> {
  await store.ledger(async ({ db }) => {
    const feed = await db.selectFrom('feed').selectAll().executeTakeFirstOrThrow();
    const { revision, audit_hash: verified_hash } = feed;
    await db
      .updateTable('audit_checks')
      .set({ flaw: null, verified_revision: revision, verified_hash, due_at: 0 })
      .execute();
  });
}

describeStores('the watch of the audit log', (given) => {
  let folder: string;
  let logs: string[];
  let verdicts: boolean[];
  let failures: number;
  let now: number;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'anchors-'));
    [logs, verdicts, failures, now] = [[], [], 0, Date.now()];
    for (const name of ['one', 'two', 'three', 'four', 'five']) await add(name);
    await storeWebhook(given.store, { url: 'https://example.com/hook', organization_id: 'one' });
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const add = (id: string) => change(given.store, (tx) => insertOrganization(tx, { id }).then(() => undefined));
  const open = (more: Partial<AuditWatchDeps> = {}) =>
    new AuditWatch({
      ...{ store: given.store, clock: { now: () => now, monotonic: () => now }, everyMs: 3_600_000 },
      log: createLogger({ name: 'test', level: 'info', stream: { write: (line) => void logs.push(line) } }),
      metrics: {
        auditVerified: ({ isIntact }) => void verdicts.push(isIntact),
        auditAnchorFailed: () => void failures++,
      },
      ...{ signingKey: privateKey, folder, organizationId: 'one' },
      ...more,
    });
  const due = () => given.store.ledger(({ db }) => db.updateTable('audit_checks').set({ due_at: 0 }).execute());
  const inLogs = () => logs.flatMap((line) => readAnchorLine(line) ?? []);
  const inWebhook = async () => (await deliveries(given.store)).flatMap(({ payload }) => readAnchorLine(payload) ?? []);
  const inFolder = () =>
    readdirSync(folder).flatMap((file) => readAnchorLine(readFileSync(join(folder, file), 'utf8')) ?? []);

  it('anchors its signed head in the log, the folder and the webhook, and again only when there are new events', async () => {
    const watch = open();
    await watch.look();
    const [anchor] = inLogs();
    expect(anchor).toMatchObject({ at: now });
    expect(anchorSignature(anchor as AuditAnchor, [publicKey])).toBe('good');
    expect([inFolder(), await inWebhook()]).toEqual([[anchor], [anchor]]);
    await due();
    await watch.look();
    expect(inLogs()).toHaveLength(1);
    await add('six');
    await due();
    await watch.look();
    expect(inLogs().map(({ revision }) => revision)).toEqual([anchor?.revision, (anchor?.revision ?? 0) + 1]);
    expect(verdicts).toEqual([true, true, true]);
  });

  it('is verified by one replica; another one takes over only when that one is silent', async () => {
    const [one, other] = [open(), open()];
    await Promise.all([one.look(), other.look()]);
    expect(inLogs()).toHaveLength(1);
    expect(verdicts).toEqual([expect.any(Boolean), expect.any(Boolean)]);
    await other.look();
    expect(inLogs()).toHaveLength(1);
  });

  it('is read in pieces when it is long', async () => {
    const pieces: number[] = [];
    const store: AuditWatchDeps['store'] = {
      ledger: (work) => given.store.ledger(work),
      snapshot: (work) => {
        pieces.push(1);
        return given.store.snapshot(work);
      },
    };
    for (let n = 0; n < 450; n++) await add(`more ${n}`);
    await open({ store }).look();
    expect(inLogs()).toHaveLength(1);
    expect(pieces.length).toBeGreaterThanOrEqual(4);
  });

  const attacks = [
    ['an event was edited', (store: Store) => editEvent(store), true],
    ['the tail was cut off', (store: Store) => cutTail(store, 3), true],
    ['all hashes were computed again', (store: Store) => hashAnew(store, 1), true],
    ['the hashes were computed again from the middle on', (store: Store) => hashAnew(store, 3), true],
  ] as const;

  describe.each(attacks)('detects that %s', (_what, attack) => {
    it('in the process that verified it before, even if the row of checks is forged', async () => {
      const watch = open({ folder: undefined });
      await watch.look();
      await attack(given.store);
      await hideChecks(given.store);
      now += dayMs;
      await watch.look();
      expect(verdicts).toEqual([true, false]);
      expect(logs.at(-1)).toContain('the audit log was tampered with');
      await hideChecks(given.store);
      await watch.look();
      expect(verdicts.at(-1)).toBe(false);
    });

    it('after a start, from the folder, and notifies the webhook once', async () => {
      await open().look();
      await attack(given.store);
      await given.store.ledger(({ db }) => db.updateTable('audit_checks').set({ due_at: 0, whole_at: null }).execute());
      const watch = open();
      await watch.look();
      await due();
      await watch.look();
      expect(verdicts).toEqual([true, false, false]);
      const reported = (await deliveries(given.store)).map(({ type }) => type);
      expect(reported.filter((type) => type === 'audit.broken')).toHaveLength(1);
    });
  });

  describe.each([attacks[1], attacks[2], attacks[3]])('has anchors that show that %s', (_what, attack) => {
    it('from log lines, and from the webhook', async () => {
      await open().look();
      const [fromLog, fromWebhook] = [inLogs(), await inWebhook()];
      expect([fromLog.length, fromWebhook.length]).toEqual([1, 1]);
      expect(await contradiction(given.store, fromLog)).toBeUndefined();
      await attack(given.store);
      expect(await contradiction(given.store, fromLog)).toBeDefined();
      expect(await contradiction(given.store, fromWebhook)).toBeDefined();
    });
  });

  it('is verified in full after two days, even if the database claims that this was done', async () => {
    const watch = open({ folder: undefined });
    await watch.look();
    await editEvent(given.store);
    const hide = async () => {
      await hideChecks(given.store);
      await given.store.ledger(({ db }) => db.updateTable('audit_checks').set({ whole_at: now }).execute());
    };
    await hide();
    await watch.look();
    now += 2 * dayMs;
    await hide();
    await watch.look();
    expect(verdicts).toEqual([true, true, false]);
  });

  it('refuses a forged file as an anchor, and logs it', async () => {
    const forged = { revision: 2, hash: 'ab'.repeat(32), at: 1, key: '', signature: '' };
    await open().look();
    const [{ key = '', signature = '' } = {}] = inFolder();
    writeFileSync(
      join(folder, `anchor-${'2'.padStart(16, '0')}-${'ab'.repeat(8)}.json`),
      JSON.stringify({ ...forged, key, signature }),
    );
    now += dayMs;
    await due();
    await open().look();
    expect(verdicts).toEqual([true, true]);
    expect(logs.join('')).toContain('not genuine');
  });

  it('counts failed writes to the folder, still anchors in the log, and tries again', async () => {
    const watch = open({ folder: join(folder, 'missing') });
    await watch.look();
    expect([failures > 0, inLogs().length, verdicts]).toEqual([true, 1, [true]]);
    await due();
    await watch.look();
    expect(inLogs()).toHaveLength(2);
  });

  it('is intact again once the changed event is restored', async () => {
    const watch = open({ folder: undefined });
    await watch.look();
    await given.database.raw(`update audit_events set actor_id = 'x' where revision = 2`);
    now += dayMs;
    await due();
    await watch.look();
    await given.database.raw(`update audit_events set actor_id = 'person-1' where revision = 2`);
    await due();
    await watch.look();
    expect(verdicts).toEqual([true, false, true]);
  });
});

async function editEvent(store: Store): Promise<void> {
  await store.ledger(async ({ db }) => {
    await db.updateTable('audit_events').set({ actor_id: 'x' }).where('revision', '=', 2).execute();
  });
}
