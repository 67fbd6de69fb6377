import { describe, expect, it } from 'vitest';
import { missingChanges, needed } from '../../../../control-plane/audit/missing-changes.ts';
import type { AuditEvent } from '../../../../control-plane/store/audit-chain.ts';
import { chained } from '../../../support/audit-events.ts';

const kept = chained([
  { action: 'VirtualKeys.Create', target_id: 'key-1' },
  { action: 'VirtualKeys.Create', target_id: 'key-2' },
]);
const since = (...reported: Parameters<typeof chained>[0]) => chained(reported, kept.at(-1));
const found = (stored: readonly AuditEvent[], shipped: readonly AuditEvent[]) => {
  const { undone, flaws } = missingChanges(stored, shipped);
  return { undone: undone.map(({ event, kind }) => `${kind} ${event.action} ${event.target_id}`), flaws };
};
const revoked = { action: 'VirtualKeys.Revoke', target_id: 'key-1' };

describe('changes of the collected log that the database lacks', () => {
  it('are none when the database has all of them', () => {
    expect(found(kept, kept)).toEqual({ undone: [], flaws: [] });
    expect(found([], [])).toEqual({ undone: [], flaws: [] });
  });

  it('are those after the backup, in order, with revocations apart from the rest', () => {
    const lost = since(revoked, { action: 'VirtualKeys.Create', target_id: 'key-3' });
    expect(found(kept, [...lost.toReversed(), ...kept])).toEqual({
      undone: ['revocation VirtualKeys.Revoke key-1', 'other VirtualKeys.Create key-3'],
      flaws: [],
    });
  });

  it('are reported once when their lines were collected twice', () => {
    const lost = since(revoked);
    expect(found(kept, [...lost, ...kept, ...lost]).undone).toHaveLength(1);
  });

  it('need only the lines since the backup, and only the events that those lines continue', () => {
    const lost = since(revoked);
    expect(needed(lost)).toBe(1);
    expect(found(kept.slice(1), lost)).toEqual({
      undone: ['revocation VirtualKeys.Revoke key-1'],
      flaws: [],
    });
  });

  it('are also found when the database continued from the backup with other changes at the same revisions', () => {
    const lost = since(revoked);
    const now = [...kept, ...since({ action: 'VirtualKeys.Create', target_id: 'key-9' })];
    expect(found(now, [...kept, ...lost, ...now])).toEqual({
      undone: ['revocation VirtualKeys.Revoke key-1'],
      flaws: [],
    });
  });

  it('leave out a revocation that was repeated later, but not one that only has an earlier equal', () => {
    const lost = since({ action: 'VirtualKeys.Rotate', target_id: 'key-1' });
    const before = since({ action: 'VirtualKeys.Rotate', target_id: 'key-1', at: 1 });
    expect(found([...kept, ...before], [...kept, ...lost]).undone).toEqual(['revocation VirtualKeys.Rotate key-1']);
    const again = since({ action: 'VirtualKeys.Rotate', target_id: 'key-1', at: Date.UTC(2026, 10, 23) });
    expect(found([...kept, ...again], [...kept, ...lost]).undone).toEqual(['repeated VirtualKeys.Rotate key-1']);
    const ofOther = since({ action: 'VirtualKeys.Rotate', target_id: 'key-2', at: Date.UTC(2026, 10, 23) });
    expect(found([...kept, ...ofOther], [...kept, ...lost]).undone).toEqual(['revocation VirtualKeys.Rotate key-1']);
  });

  it('leave out a limit that was created again with the same content under another id', () => {
    const limit = { kind: 'LIMIT_KIND_BUDGET', amountUsd: '5', createdAt: 'then', revision: '3' };
    const lost = since({ action: 'Limits.Create', target_id: 'limit-1', after: { id: 'limit-1', ...limit } });
    const made = (fields: object) =>
      since({ action: 'Limits.Create', target_id: 'limit-2', after: { id: 'limit-2', ...limit, ...fields } });
    const again = made({ createdAt: 'now', revision: '4' });
    expect(found([...kept, ...again], [...kept, ...lost]).undone).toEqual(['repeated Limits.Create limit-1']);
    const more = made({ amountUsd: '500' });
    expect(found([...kept, ...more], [...kept, ...lost]).undone).toEqual(['revocation Limits.Create limit-1']);
  });

  it('leave out revocations of resources that were created after the backup too', () => {
    const lost = since(
      { action: 'VirtualKeys.Create', target_id: 'key-3' },
      { action: 'VirtualKeys.Revoke', target_id: 'key-3' },
      { action: 'Organizations.Create', target_id: 'organization-2', organization_id: null },
      { action: 'People.Delete', target_id: 'person-2', organization_id: 'organization-2' },
    );
    expect(found(kept, [...kept, ...lost]).undone.every((one) => one.startsWith('other'))).toBe(true);
  });
});

describe('flaws of the collected log', () => {
  const lost = since(revoked, { action: 'People.Delete', target_id: 'person-1' }, { ...revoked, target_id: 'key-2' });

  it.each([
    ['the first after the backup', [1, 2], ['lines are missing right before revision 4']],
    ['one in the middle', [0, 2], ['lines are missing right before revision 5']],
    ['several', [2], ['lines are missing right before revision 5']],
  ])('%s is missing: the position is reported', (_which, left, flaws) => {
    const shipped = lost.filter((_, index) => left.includes(index));
    expect(found(kept, [...kept, ...shipped])).toMatchObject({ flaws });
  });

  it('an altered line is reported and not believed', () => {
    const forged = lost.map((event, index) => (index === 1 ? { ...event, target_id: 'person-9' } : event));
    const { undone, flaws } = found(kept, [...kept, ...forged]);
    expect(undone).toEqual(['revocation VirtualKeys.Revoke key-1', 'revocation VirtualKeys.Revoke key-2']);
    expect(flaws).toEqual([
      'the line of revision 4 was altered: it does not match its hash',
      'lines are missing right before revision 5',
    ]);
  });

  it('a forged line is reported because it continues no other line', () => {
    const [made] = chained([revoked], { ...kept[0], revision: 7, hash: 'f'.repeat(64) } as AuditEvent);
    expect(found(kept, [...kept, ...(made ? [made] : [])]).flaws).toEqual([
      'lines are missing right before revision 8',
    ]);
  });
});
