import { describe, expect, it } from 'vitest';
import { AddressPolicy } from '../../../../proxy/upstream/addresses.ts';

const policy = new AddressPolicy({
  privateUpstreams: [
    { hostAndPort: 'models.internal:8000', organization: undefined },
    { hostAndPort: 'acme.internal:8000', organization: 'acme' },
    { hostAndPort: 'acme.internal:8000', organization: 'acme-labs' },
    { hostAndPort: 'both.internal:8000', organization: 'acme' },
    { hostAndPort: 'both.internal:8000', organization: undefined },
  ],
  denyCidrs: ['8.8.0.0/16'],
});

describe('the address policy of upstreams', () => {
  it.each(['1.1.1.1', '104.18.7.192', '2606:4700::6812:7c0', '9.9.9.9'])('allows a public address: %s', (address) => {
    expect(policy.allows(address, false)).toBe(true);
  });

  it.each([
    '127.0.0.1',
    '127.255.0.9',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    '169.254.1.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '198.18.0.1',
    '::1',
    '::',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::127.0.0.1',
    '64:ff9b::a00:1',
    'fe80::1',
    'fc00::1',
    'fd12::1',
    '2002:7f00:1::',
    '8.8.8.8',
    'no address',
  ])('refuses a private, special or denied address: %s', (address) => {
    expect(policy.allows(address, false)).toBe(false);
  });

  it('allows a private address when its host and port are listed', () => {
    expect(policy.allows('10.0.0.1', true)).toBe(true);
  });

  it.each([
    ['models.internal:8000', 'acme', ''],
    ['models.internal:8001', 'acme', undefined],
    ['acme.internal:8000', 'acme', 'acme'],
    ['acme.internal:8000', 'acme-labs', 'acme-labs'],
    ['acme.internal:8000', 'other', undefined],
    ['acme.internal:8000', '', undefined],
    ['both.internal:8000', 'acme', ''],
    ['both.internal:8000', 'other', ''],
  ])('%s is listed for %s in the scope %j', (hostAndPort, organization, scope) => {
    expect(policy.scopeOf(hostAndPort, organization)).toBe(scope);
  });

  it.each([
    '169.254.169.254',
    '::ffff:169.254.169.254',
    'fd00:ec2::254',
    '169.254.170.2',
    'fd20:ce::254',
    '192.0.0.192',
  ])('refuses the metadata service even when it is listed: %s', (address) => {
    expect(policy.allows(address, true)).toBe(false);
  });
});
