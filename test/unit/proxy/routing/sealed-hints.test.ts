import { describe, expect, it } from 'vitest';
import { createSealKey, parseSealKeys } from '../../../../common/seal.ts';
import { hintKeysOf, openHint, sealedBytesMax, sealHint } from '../../../../proxy/routing/sealed-hints.ts';
import { hostName, keyName } from '../../../../proxy/routing/target-identity.ts';
import { createHintProxies } from '../../../support/hint-proxies.ts';
import { target } from './health.fixture.ts';

const { keysOf } = createHintProxies();
const first = target('first');

describe('a sealed hint', () => {
  const scope = { organization: 'org' };
  const hint = { target: keyName(first.identity, undefined), cause: 'key', until: 5, proxy: 'p' } as const;
  const ofHost = { ...hint, target: hostName(first.identity, 'org'), cause: 'dead' } as const;

  it('opens only for its own scope, keys and identity', () => {
    const keys = hintKeysOf(keysOf('org'));
    const sealed = sealHint(scope, { keys }, hint);
    expect(openHint(scope, { keys }, sealed)).toEqual(hint);
    expect(openHint({ organization: 'stranger' }, { keys }, sealed)).toBeUndefined();
    expect(openHint(scope, { keys: hintKeysOf(keysOf('stranger')) }, sealed)).toBeUndefined();
    expect(openHint('hosts', { keys }, sealed)).toBeUndefined();
    const host = sealHint('hosts', { keys, identity: 'a' }, ofHost);
    expect(openHint('hosts', { keys, identity: 'a' }, host)).toEqual(ofHost);
    expect(openHint('hosts', { keys, identity: 'b' }, host)).toBeUndefined();
    expect(openHint('hosts', { keys: parseSealKeys(createSealKey()), identity: 'a' }, host)).toBeUndefined();
  });

  it('does not open if a bit of it was changed, or if it is far too large', () => {
    const keys = hintKeysOf(keysOf('org'));
    const sealed = sealHint(scope, { keys }, hint);
    expect(sealed.length).toBeLessThan(sealedBytesMax);
    for (let bit = 0; bit < sealed.length * 8; bit += 7) {
      const changed = Buffer.from(sealed);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(openHint(scope, { keys }, changed)).toBeUndefined();
    }
    const large = sealHint(scope, { keys }, { ...hint, proxy: 'p'.repeat(sealedBytesMax) });
    expect(openHint(scope, { keys }, large)).toBeUndefined();
    expect(openHint(scope, { keys }, Buffer.alloc(0))).toBeUndefined();
  });

  it('of a cause that does not belong to its scope counts for nothing', () => {
    const keys = hintKeysOf(keysOf('org'));
    expect(openHint(scope, { keys }, sealHint(scope, { keys }, ofHost))).toBeUndefined();
    const seal = { keys, identity: 'a' };
    expect(openHint('hosts', seal, sealHint('hosts', seal, hint))).toBeUndefined();
  });

  it('of the record key’s last generation opens while that one is open', () => {
    const [newest] = keysOf('newest');
    const [last] = keysOf('org');
    if (newest === undefined || last === undefined) throw new Error('no record keys');
    const sealed = sealHint(scope, { keys: hintKeysOf([last]) }, hint);
    expect(openHint(scope, { keys: hintKeysOf([newest, last]) }, sealed)).toEqual(hint);
    expect(openHint(scope, { keys: hintKeysOf([newest]) }, sealed)).toBeUndefined();
  });
});
