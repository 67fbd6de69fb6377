import { describe, expect, it } from 'vitest';
import {
  addressGroup,
  callerAddress,
  plainAddress,
  trustedProxies,
  trustsNobody,
} from '../../../common/caller-address.ts';
import { roundsOf } from '../../support/seed.ts';

const isTrusted = trustedProxies(['10.0.0.0/8', '192.0.2.7/32', 'fd00::/8', '::1/128']);

describe('an address', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:0201', '192.0.2.1'],
    ['2001:0DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['', ''],
  ])('%s is written as %s', (address, plain) => {
    expect(plainAddress(address)).toBe(plain);
  });

  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8::ffff:0:0:1', '2001:db8:0:0::/64'],
    ['2001:0db8:0000:0000:9::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('%s is counted as %s', (address, group) => {
    expect(addressGroup(address)).toBe(group);
  });
});

describe('the address of a caller', () => {
  it.each([
    ['is the peer’s address without x-forwarded-for', '203.0.113.9', undefined, '203.0.113.9'],
    ['is the peer’s address when the peer is not trusted', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['is the address that a trusted peer reports', '10.1.1.1', '198.51.100.1', '198.51.100.1'],
    ['is the last address that a trusted peer reports', '10.1.1.1', '6.6.6.6, 198.51.100.1', '198.51.100.1'],
    [
      'is the last address before the trusted ones',
      '10.1.1.1',
      '6.6.6.6, 198.51.100.1,10.2.2.2 ,192.0.2.7',
      '198.51.100.1',
    ],
    ['is not an address that the caller put before its own', '10.1.1.1', '10.9.9.9, 198.51.100.1', '198.51.100.1'],
    ['is the first address when all are trusted', '10.1.1.1', '10.3.3.3, 10.2.2.2', '10.3.3.3'],
    ['may have a port', '10.1.1.1', '198.51.100.1:4711', '198.51.100.1'],
    ['may be IPv6', '10.1.1.1', '2001:DB8:0::5', '2001:db8::5'],
    ['may be IPv6 in brackets', '10.1.1.1', '[2001:db8::5]', '2001:db8::5'],
    ['may be IPv6 with a port', '10.1.1.1', '[2001:db8::5]:443', '2001:db8::5'],
    ['may be IPv4 within IPv6', '::ffff:10.1.1.1', '::ffff:198.51.100.1', '198.51.100.1'],
    ['is reported by a proxy that is trusted by its IPv6 address', 'fd00::1', '198.51.100.1', '198.51.100.1'],
    ['is unknown for a Unix socket', '', '198.51.100.1', ''],
  ])('%s', (_, peer, forwardedFor, address) => {
    expect(callerAddress(peer, forwardedFor, isTrusted)).toBe(address);
  });

  it.each([
    '',
    ' ',
    ',',
    ',,,,',
    'unknown',
    '_hidden',
    'for=198.51.100.1',
    '"198.51.100.1"',
    '198.51.100',
    '198.51.100.1.',
    '198.51.100.256',
    '0x7f000001',
    '198.51.100.1/24',
    '198.51.100.1:',
    '198.51.100.1:123456',
    '198.51.100.1 198.51.100.2',
    '[198.51.100.1',
    '[]',
    '2001:db8::5]:1',
    'fe80::1%eth0',
    '[fe80::1%eth0]',
    '\u0661.2.3.4',
    '198.51.100.1\0',
    'x'.repeat(16_000),
    ' '.repeat(16_000),
  ])('is the trusted proxy’s own when the proxy reports no address but %j', (hop) => {
    expect(callerAddress('10.1.1.1', hop, isTrusted)).toBe('10.1.1.1');
    expect(callerAddress('10.1.1.1', `198.51.100.1, ${hop}`, isTrusted)).toBe('10.1.1.1');
    expect(callerAddress('10.1.1.1', `${hop}, 10.2.2.2`, isTrusted)).toBe('10.2.2.2');
    expect(callerAddress('10.1.1.1', `${hop}, 198.51.100.1`, isTrusted)).toBe('198.51.100.1');
  });

  it('is the peer’s, whatever a header reports, when no proxy is trusted', () => {
    expect(trustedProxies([])).toBe(trustsNobody);
    expect(callerAddress('10.1.1.1', '198.51.100.1', trustsNobody)).toBe('10.1.1.1');
  });

  it('is one of the header, the peer’s or empty, whatever the header contains', () => {
    const pieces = ['10.0.0.1', '198.51.100.1', '2001:db8::1', ',', ' ', ':', '[', ']', '%', '8', '\t', '::ffff:'];
    let seed = 42;
    const random = (max: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed % max;
    };
    for (let run = 0; run < roundsOf(2_000); run++) {
      const list = Array.from({ length: random(12) }, () => pieces[random(pieces.length)]).join('');
      const address = callerAddress('10.1.1.1', list, isTrusted);
      expect(address, list).toBe(plainAddress(address));
      expect(addressGroup(address), list).not.toBe('');
      // If the last address is not trusted, the addresses before it are not believed.
      const last = list.slice(list.lastIndexOf(',') + 1).trim();
      if (last === '198.51.100.1') expect(address, list).toBe(last);
    }
  });
});
