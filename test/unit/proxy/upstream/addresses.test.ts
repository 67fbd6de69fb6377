import { describe, expect, it } from 'vitest';
import { AddressPolicy } from '../../../../proxy/upstream/addresses.ts';

const policy = new AddressPolicy({ privateUpstreams: ['models.internal:8000'], denyCidrs: ['8.8.0.0/16'] });

describe('which addresses may be reached', () => {
  it.each(['1.1.1.1', '104.18.7.192', '2606:4700::6812:7c0', '9.9.9.9'])('a public one: %s', (address) => {
    expect(policy.allows(address, 'api.example:443')).toBe(true);
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
  ])('not a private, special or denied one: %s', (address) => {
    expect(policy.allows(address, 'api.example:443')).toBe(false);
  });

  it('a private one where its host and port are listed, and only there', () => {
    expect(policy.allows('10.0.0.1', 'models.internal:8000')).toBe(true);
    expect(policy.allows('10.0.0.1', 'models.internal:8001')).toBe(false);
  });

  it.each(['169.254.169.254', '::ffff:169.254.169.254', 'fd00:ec2::254', '169.254.170.2'])(
    'never the metadata service: %s',
    (address) => {
      expect(policy.allows(address, 'models.internal:8000')).toBe(false);
    },
  );

  it('fails a look-up that answers no address that may be reached', async () => {
    const lookedUp = new Promise((resolve) => {
      policy.lookupFor('localhost:443')('localhost', {}, (error) => resolve(error));
    });
    await expect(lookedUp).resolves.toMatchObject({ name: 'ForbiddenAddressError' });
  });
});
