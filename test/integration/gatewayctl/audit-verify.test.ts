// `gatewayctl audit verify` against a live control plane that anchors its audit log: changes by an attacker who can
// write the database are found from the lines of its log, and from the webhook's messages.
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readAnchorLine } from '../../../common/audit-anchor.ts';
import { uuidv7 } from '../../../common/uuid.ts';
import { auditHash, chainStart } from '../../../control-plane/store/audit-chain.ts';
import type { Store } from '../../../control-plane/store/store.ts';
import { freshSqlite, type StoreDatabase } from '../../support/databases.ts';
import { type Gatewayctl, loggedIn } from '../../support/gatewayctl.ts';
import { deliveries } from '../../support/notice-rows.ts';
import { type OperatorsPlane, startOperatorsPlane } from '../../support/operators.ts';
import { until } from '../../support/process.ts';

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const other = generateKeyPairSync('ed25519');
const organizationId = uuidv7();

let folder: string;
let database: StoreDatabase;
let store: Store;
let plane: OperatorsPlane;
let ctl: Gatewayctl;
const file = (name: string) => join(folder, name);
const pem = (key: typeof publicKey) => key.export({ format: 'pem', type: 'spki' });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'audit-verify-'));
  database = await freshSqlite();
  plane = await startOperatorsPlane({
    env: {
      GATEWAY_DATABASE_URL: database.url,
      GATEWAY_AUDIT_SIGNING_KEY: String(privateKey.export({ format: 'pem', type: 'pkcs8' })),
      GATEWAY_AUDIT_ANCHOR_ORGANIZATION: organizationId,
      GATEWAY_AUDIT_VERIFY_EVERY: '10s',
    },
  });
  store = await database.open();
  const { token } = await plane.expect('OperatorTokens.Bootstrap', plane.bootstrapToken, { name: 'first' });
  for (const name of ['one', 'two']) await plane.expect('ProxyTokens.Create', token, { name });
  ctl = await loggedIn(plane.plane.grpcPort, token);
  writeFileSync(file('public.pem'), pem(publicKey));
  writeFileSync(file('other.pem'), pem(other.publicKey));
});
afterAll(async () => {
  ctl.remove();
  await plane.close();
  await database.drop();
  rmSync(folder, { recursive: true });
});

/** The log with anchors: the replica verifies again, as it does every hour. */
async function anchored(): Promise<string> {
  await plane.expect('ProxyTokens.Create', await tokenOf(), { name: `anchor ${Date.now()}` });
  const before = plane.logs.length;
  await store.ledger(({ db }) => db.updateTable('audit_checks').set({ due_at: 0 }).execute());
  const inLog = () => plane.logs.slice(before).some((line) => line.includes('"audit_anchor"'));
  await until(inLog, { what: 'an anchor in the log', timeoutMs: 90_000 });
  return plane.logs.join('');
}

async function tokenOf(): Promise<string> {
  return readFileSync(ctl.env.GATEWAYCTL_CONFIG, 'utf8').match(/gw-op-\w+/)?.[0] ?? '';
}

it('audit verify reports an intact log, and that no anchors were given', async () => {
  const { code, out } = await ctl.run('audit verify');
  expect([code, out]).toEqual([0, expect.stringMatching(/^the audit log is intact: \d+ events\nno anchors/)]);
});

it('audit verify compares the log with collected anchors, and finds a log that was hashed again', async () => {
  writeFileSync(file('collected.log'), await anchored());
  const verify = (anchors: string, key: string) =>
    ctl.run(['audit', 'verify', '--anchors', file(anchors), '--public-key', file(key), '--json']);

  const intact = await verify('collected.log', 'public.pem');
  expect(JSON.parse(intact.out)).toMatchObject({ intact: true, findings: [] });
  expect(intact.code).toBe(0);
  expect(JSON.parse(intact.out).anchors).toBeGreaterThan(0);

  const unknown = await verify('collected.log', 'other.pem');
  expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('contains no anchor')]);

  const line = plane.logs.findLast((one) => one.includes('"audit_anchor"')) ?? '';
  const { revision = 0 } = readAnchorLine(line) ?? {};
  writeFileSync(file('forged.log'), line.replace(`"revision":${revision}`, `"revision":${revision - 1}`));
  const forged = await verify('forged.log', 'public.pem');
  expect([forged.code, forged.out]).toEqual([1, expect.stringContaining('not genuine')]);

  await hashAnew();
  expect((await ctl.run('audit verify')).code).toBe(0);
  const found = await verify('collected.log', 'public.pem');
  expect(found.code).toBe(1);
  expect(JSON.parse(found.out)).toMatchObject({
    intact: false,
    findings: [{ reason: 'it is not the event that was anchored', anchoredAt: expect.any(String) }],
  });
  // Log lines of events name the first wrong one: all from the second one on are wrong.
  const { out } = await ctl.run(['audit', 'verify', '--anchors', file('collected.log')]);
  expect(out).toMatch(/^revision 2: it is not the event that was anchored/);
  expect(await deliveries(store)).toEqual([]);
});

it('audit verify is for platform operators, and refuses an invalid key and a missing file', async () => {
  writeFileSync(file('no.pem'), 'canary');
  const key = await ctl.run(['audit', 'verify', '--public-key', file('no.pem')]);
  expect([key.code, key.err]).toEqual([2, expect.stringContaining('no Ed25519 public key')]);
  const missing = await ctl.run(['audit', 'verify', '--anchors', file('missing')]);
  expect([missing.code, missing.err]).toEqual([2, expect.stringContaining('cannot be read')]);
});

/** Hashes all events from the second one on again, and updates the end of the chain. */
async function hashAnew(): Promise<void> {
  await store.ledger(async ({ db }) => {
    const events = await db.selectFrom('audit_events').selectAll().orderBy('revision').execute();
    let previous = chainStart;
    for (const event of events) {
      const from_address = event.revision === 2 ? '203.0.113.1' : event.from_address;
      const hash = auditHash(previous, { ...event, from_address });
      await db
        .updateTable('audit_events')
        .set({ from_address, previous_hash: previous, hash })
        .where('revision', '=', event.revision)
        .execute();
      previous = hash;
    }
    await db.updateTable('feed').set({ audit_hash: previous }).execute();
  });
}
