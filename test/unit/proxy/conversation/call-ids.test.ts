import { describe, expect, it } from 'vitest';
import { splitId, vendorCallIds, withSignature } from '../../../../proxy/conversation/call-ids.ts';

describe('a signature carried by a call id', () => {
  it.each(['c2ln', 'a+b/c==', 'a-b_c', 'skip_thought_signature_validator', '\u{1f600}'])(
    'is recovered unchanged: %s',
    (signature) => {
      const id = withSignature('call_1', signature);
      expect(id).toMatch(/^[A-Za-z0-9_-]+$/);
      expect(splitId(id)).toEqual({ id: 'call_1', signature });
    },
  );

  it('is absent from an id without one', () => {
    expect(splitId('call_1')).toEqual({ id: 'call_1', signature: undefined });
  });
});

describe('call ids for a vendor', () => {
  const idsOf = (...ids: string[]) => [...vendorCallIds(ids.map((id) => ({ id }))).values()];

  it.each([
    ['good ones stay', ['call_1', 'toolu-2'], ['call_1', 'toolu-2']],
    ['a character that no vendor accepts becomes an underscore', ['a.b c'], ['a_b_c']],
    ['one that is too long is cut', ['x'.repeat(65)], ['x'.repeat(64)]],
    ['no id becomes one', ['', ''], ['call', 'call_2']],
    ['of two the same the second differs', ['a', 'a', 'a'], ['a', 'a_2', 'a_3']],
    ['a number that is in use is skipped', ['a_2', 'a', 'a'], ['a_2', 'a', 'a_3']],
    ['a long one has room for its number', ['x'.repeat(64), 'x'.repeat(64)], ['x'.repeat(64), `${'x'.repeat(62)}_2`]],
  ])('are made valid: %s', (_what, given, expected) => {
    expect(idsOf(...given)).toEqual(expected);
  });

  it('differ between calls that share an id', () => {
    const twice = [{ id: 'a' }, { id: 'a' }];
    const ids = vendorCallIds(twice);
    expect(twice.map((call) => ids.get(call))).toEqual(['a', 'a_2']);
  });
});
