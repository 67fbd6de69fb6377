import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { uuidv7 } from '../../../../common/uuid.ts';
import { RecordKey } from '../../../../proxy/access/organization-key.ts';
import { isSealed, ownerOf, SealedIds } from '../../../../proxy/access/sealed-ids.ts';

const keyOf = (generation: number) => new RecordKey(generation, randomBytes(32));
const ownerWith = (organization: string, kind: 'organization' | 'ai_system', id: string) =>
  ownerOf({ key: { organizationId: organization, scope: { kind, id } } as Parameters<typeof ownerOf>[0]['key'] });

const key = keyOf(1);
const owner = ownerWith('o1', 'ai_system', 's1');
const ids = new SealedIds([key], owner);
const stored = { providerKeyId: uuidv7(), id: `resp_${'0123456789abcdef'.repeat(3)}01` };

describe('the id of something stored', () => {
  it('has one sealed form, from which its owner gets it back', () => {
    const sealed = ids.seal(stored);
    expect(sealed).toBe(new SealedIds([key], owner).seal(stored));
    expect(sealed).toMatch(/^resp_gw1_/);
    expect(sealed.length).toBeLessThanOrEqual(160);
    expect(isSealed(sealed)).toBe(true);
    expect(ids.open(sealed)).toEqual(stored);
  });

  it.each([
    ['another organization', ownerWith('o2', 'ai_system', 's1')],
    ['another scope', ownerWith('o1', 'ai_system', 's2')],
    ['a scope of another kind with the same id', ownerWith('o1', 'organization', 's1')],
  ])('is nothing to %s with the same key', (_who, other) => {
    expect(new SealedIds([key], other).open(ids.seal(stored))).toBeUndefined();
  });

  it('opens after one rotation of the key, and is sealed with the newest', () => {
    const newer = keyOf(2);
    const both = new SealedIds([newer, key], owner);
    expect(both.open(ids.seal(stored))).toEqual(stored);
    expect(ids.open(both.seal(stored))).toBeUndefined();
    expect(new SealedIds([newer], owner).open(ids.seal(stored))).toBeUndefined();
  });

  it('opens with no character changed, removed or added', () => {
    const sealed = ids.seal(stored);
    for (let at = 0; at < sealed.length; at++) {
      const other = sealed[at] === 'A' ? 'B' : 'A';
      const changed = `${sealed.slice(0, at)}${other}${sealed.slice(at + 1)}`;
      // The last character may have bits that no byte contains.
      const isSame = Buffer.from(changed.slice(9), 'base64url').equals(Buffer.from(sealed.slice(9), 'base64url'));
      if (!isSame || at < 9) expect(ids.open(changed), changed).toBeUndefined();
      expect(ids.open(sealed.slice(0, at) + sealed.slice(at + 1))).toBeUndefined();
    }
    expect(ids.open(`${sealed}AAAA`)).toBeUndefined();
  });

  it('keeps its kind: the id of a response is none of an item', () => {
    expect(ids.open(ids.seal(stored).replace('resp_', 'msg_'))).toBeUndefined();
  });

  it.each(['', 'resp_1', 'resp_gw1_', `resp_gw1_${'A'.repeat(80)}`, `resp_gw1_${'A'.repeat(4000)}`, 'resp_gw1_😀'])(
    'is not %s',
    (text) => {
      expect(ids.open(text)).toBeUndefined();
    },
  );
});
