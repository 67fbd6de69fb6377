import { describe, expect, it } from 'vitest';
import { addressRule } from '../../../common/addresses.ts';

describe('an address rule', () => {
  it.each([
    ['a public address', '93.184.215.14', true],
    ['a public address of IPv6', '2606:2800:21f::1', true],
    ['a public address that is denied', '93.184.216.14', false],
    ['a private address', '192.168.0.1', false],
    ['a private address that is allowed', '10.1.2.3', true],
    ['an allowed private address, mapped to IPv6', '::ffff:10.1.2.3', true],
    ['an address that is both allowed and denied', '10.9.0.1', false],
    ['a private address of IPv6 that is allowed', 'fd12::1', true],
    ['a private address of IPv6', 'fd13::1', false],
    ['an allowed address that serves metadata', '169.254.169.254', false],
    ['an allowed IPv6 address that serves metadata', 'fd00:ec2::254', false],
    ['a name', 'guards.example.com', false],
    ['nothing', '', false],
  ])('on %s: %s → %s', (_what, address, allowed) => {
    const rule = addressRule({
      deny: ['93.184.216.0/24', '10.9.0.0/16'],
      allow: ['10.0.0.0/8', 'fd12::/16', '169.254.0.0/16', 'fd00::/16'],
    });
    expect(rule(address)).toBe(allowed);
  });

  it('allows only public addresses by default', () => {
    const rule = addressRule({ deny: [] });
    expect(['93.184.215.14', '10.1.2.3', '127.0.0.1', '::1'].map(rule)).toEqual([true, false, false, false]);
  });
});
