// The audit log over both databases: its content, and that every change of it is detected.
import { beforeEach, expect, it } from 'vitest';
import { verifyAuditChain } from '../../../control-plane/store/audit-chain.ts';
import { describeStores } from '../../support/databases.ts';
import { change, insertOrganization } from '../../support/stored-records.ts';

describeStores('the audit log', (given) => {
  beforeEach(async () => {
    for (const name of ['one', 'two', 'three']) {
      await change(given.store, async (tx) => {
        await insertOrganization(tx, { id: name });
        return { target: { kind: 'organization', id: name }, before: { name: 'zero' }, after: { name } };
      });
    }
  });
  const verdict = () => given.store.snapshot((db) => verifyAuditChain(db));

  it('records the actor and the target of every change, in one chain from the first event to the last', async () => {
    const events = await given.store.snapshot((db) => db.selectFrom('audit_events').selectAll().execute());
    expect(events[1]).toMatchObject({
      ...{ revision: 2, actor_kind: 'person', actor_id: 'person-1', from_address: '192.0.2.1' },
      ...{ action: 'Test.Change', target_kind: 'organization', target_id: 'two' },
      ...{ before: '{"name":"zero"}', after: '{"name":"two"}', previous_hash: events[0]?.hash },
    });
    expect(await verdict()).toEqual({
      intact: true,
      events: 3,
      head: { revision: 3, hash: expect.any(String) },
    });
  });

  it.each([
    ['an event was altered', `update audit_events set actor_id = 'x' where revision = 2`, 2],
    ['the change of an event was altered', `update audit_events set after = '{}' where revision = 1`, 1],
    ['an event was removed', 'delete from audit_events where revision = 2', 3],
    ['the newest event was removed', 'delete from audit_events where revision = 3', 3],
    ['a hash was altered', `update audit_events set hash = 'x' where revision = 2`, 2],
    ['the recorded end of the log was altered', `update feed set audit_hash = 'x'`, 3],
  ])('detects that %s', async (_what, tampering, at) => {
    await given.database.raw(tampering);
    expect(await verdict()).toMatchObject({ intact: false, revision: at });
  });

  it('detects an event that an attacker appended', async () => {
    await given.database.raw(`insert into audit_events
      select 4, at, organization_id, actor_kind, actor_id, from_address, action, target_kind, target_id, before, after,
        hash, 'x' from audit_events where revision = 3`);
    expect(await verdict()).toMatchObject({ intact: false, revision: 4 });
  });
});
