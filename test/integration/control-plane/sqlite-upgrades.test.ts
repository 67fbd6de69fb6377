// Steps that replace a table of SQLite keep its rows, their indexes, and the rows that refer to them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../../common/clock.ts';
import { openStore } from '../../../control-plane/store/open.ts';
import { insertInto, sqliteOfStep } from '../../support/older-sqlite.ts';
import { silentLog } from '../../support/silent-log.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-upgrade-'));
  path = join(folder, 'gateway.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

async function upgrade(): Promise<DatabaseSync> {
  const store = await openStore({ url: `sqlite:${path}`, log: silentLog, clock: systemClock });
  await store.close();
  return new DatabaseSync(path);
}

function indexesOf(file: DatabaseSync, table: string): readonly string[] {
  const rows = file.prepare("select sql from sqlite_master where type = 'index' and tbl_name = ? order by name");
  return rows.all(table).flatMap(({ sql }) => (sql === null ? [] : [String(sql)]));
}

const organization = { id: 'organization', name: 'north' };

it('limits of organizations, when the platform may have some', async () => {
  const old = await sqliteOfStep(path, '045_provider_key_hours');
  insertInto(old, 'organizations', organization);
  const limit = { id: 'limit', organization_id: 'organization', subject_id: 'organization', amount: 5 };
  insertInto(old, 'limits', limit);
  const before = indexesOf(old, 'limits');
  old.close();
  const now = await upgrade();
  expect(now.prepare('select id, organization_id, subject_id, amount from limits').all()).toEqual([limit]);
  expect(indexesOf(now, 'limits')).toEqual(before);
  // The platform's limits belong to no row of organizations.
  insertInto(now, 'limits', { ...limit, id: 'platform', organization_id: 'platform', subject_id: 'platform' });
  now.close();
});

it('issuers and identities of organizations, when the platform may have some', async () => {
  const old = await sqliteOfStep(path, '054_sign_in_domains');
  insertInto(old, 'organizations', organization);
  insertInto(old, 'people', { id: 'person', organization_id: 'organization', name: 'Ada', role: 'owner' });
  insertInto(old, 'issuers', { id: 'issuer', organization_id: 'organization', name: 'okta' });
  insertInto(old, 'identities', { id: 'identity', issuer_id: 'issuer', subject: 'subject', person_id: 'person' });
  old.close();
  const now = await upgrade();
  expect(now.prepare('select id, name from issuers').all()).toEqual([{ id: 'issuer', name: 'okta' }]);
  const identities = now.prepare('select id, issuer_id, subject, person_id, realm from identities');
  const identity = { id: 'identity', issuer_id: 'issuer', subject: 'subject', person_id: 'person', realm: '' };
  expect(identities.all()).toEqual([identity]);
  now.exec("delete from issuers where id = 'issuer'");
  expect(identities.all()).toEqual([]);
  now.close();
});
