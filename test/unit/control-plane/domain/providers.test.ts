// The planes share no code, so that they agree on names is tested: what a proxy serves under a name, the control plane stores
// keys for and lets nobody else have.
import { describe, expect, it } from 'vitest';
import { canonicalVendorName, isVendorName } from '../../../../common/vendors.ts';
import { customProviderName, wireFormat } from '../../../../control-plane/domain/custom-provider.ts';
import { enumNames } from '../../../../proto/json/contract.ts';
import { wireFormats } from '../../../../proto/words/access.ts';
import { providers } from '../../../../proxy/providers/index.ts';

describe.each(providers.map((provider) => [provider.name, provider] as const))('%s', (name, { aliases }) => {
  it('is a name under which keys are stored, and its aliases mean it', () => {
    expect(isVendorName(name)).toBe(true);
    for (const alias of aliases) expect(canonicalVendorName(alias)).toBe(name);
  });

  it('is no custom provider’s name, nor are its aliases', () => {
    for (const taken of [name, ...aliases]) expect(customProviderName(taken)).toHaveProperty('problems');
  });

  it('is a wire format of the contract', () => {
    expect(wireFormats.words).toContain(name);
  });
});

describe('the contract’s wire formats', () => {
  it('are all known by a provider’s name', () => {
    const named = enumNames('WireFormat') ?? [];
    expect(Object.values(wireFormats.names).toSorted()).toEqual(named.toSorted());
    for (const one of named) expect(wireFormat(one)).toHaveProperty('value');
    expect(wireFormat('WIRE_FORMAT_UNSPECIFIED')).toHaveProperty('problems');
  });
});
