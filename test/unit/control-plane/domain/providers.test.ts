// The two planes share no code, so this test checks that they agree on names: for the name of a provider in the proxy,
// the control plane stores keys, and refuses a custom provider.
import { describe, expect, it } from 'vitest';
import { canonicalVendorName, isVendorName } from '../../../../common/vendors.ts';
import { customProviderName, wireFormat } from '../../../../control-plane/domain/custom-provider.ts';
import { enumNames } from '../../../../proto/json/contract.ts';
import { wireFormats } from '../../../../proto/words/access.ts';
import { providers } from '../../../../proxy/providers/index.ts';

describe.each(providers.map((provider) => [provider.name, provider] as const))('%s', (name, { aliases }) => {
  it('is a name under which keys are stored, and its aliases mean the same provider', () => {
    expect(isVendorName(name)).toBe(true);
    for (const alias of aliases) expect(canonicalVendorName(alias)).toBe(name);
  });

  it('cannot name a custom provider, and neither can its aliases', () => {
    for (const taken of [name, ...aliases]) expect(customProviderName(taken)).toHaveProperty('problems');
  });

  it('is a wire format of the contract', () => {
    expect(wireFormats.words).toContain(name);
  });
});

describe('the contract’s wire formats', () => {
  it('are all known by the name of a provider', () => {
    const named = enumNames('WireFormat') ?? [];
    expect(Object.values(wireFormats.names).toSorted()).toEqual(named.toSorted());
    for (const one of named) expect(wireFormat(one)).toHaveProperty('value');
    expect(wireFormat('WIRE_FORMAT_UNSPECIFIED')).toHaveProperty('problems');
  });
});
