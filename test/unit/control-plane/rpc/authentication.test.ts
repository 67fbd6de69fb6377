// What a connection says about who is behind it.
import { describe, expect, it } from 'vitest';
import { certificateProxyOf, isConfidential, peerOf } from '../../../../control-plane/rpc/authentication.ts';

describe('the address of a peer', () => {
  it.each([
    ['127.0.0.1:4711', '127.0.0.1', 4711],
    ['::ffff:10.0.0.1:4711', '::ffff:10.0.0.1', 4711],
    ['fd00::1:4711', 'fd00::1', 4711],
    ['unknown', 'unknown', undefined],
  ])('of %s is %s', (printed, remoteAddress, remotePort) => {
    expect(peerOf(printed)).toEqual({ remoteAddress, remotePort });
  });

  it.each([
    ['127.0.0.1', true],
    ['127.8.9.1', true],
    ['::1', true],
    ['10.0.0.1', false],
    ['fd00::1', false],
    ['unknown', false],
  ])('lets secrets go to %s in plain text: %s', (address, confidential) => {
    expect(isConfidential(false, address)).toBe(confidential);
    expect(isConfidential(true, address)).toBe(true);
  });
});

describe('the proxy that a certificate stands for', () => {
  const egress = { id: 'egress.example.com', organizationId: undefined };
  const sidecar = { id: 'spiffe://cluster/sidecar', organizationId: 'acme' };
  const find = (names: string | undefined) => certificateProxyOf(names, [egress, sidecar]);

  it('is the first configured one that it names by DNS or URI', () => {
    expect(find('DNS:egress.example.com')).toBe(egress);
    expect(find('DNS:x, URI:spiffe://cluster/sidecar')).toBe(sidecar);
    expect(find('URI:spiffe://cluster/sidecar, DNS:egress.example.com')).toBe(egress);
  });

  it.each([
    undefined,
    '',
    'DNS:example.com',
    'email:egress.example.com',
    'IP Address:egress.example.com',
    'DNS:egress.example.com.evil.org',
    // As node:tls prints a URI that holds ", DNS:egress.example.com".
    'URI:"http://x/\\u002c DNS:egress.example.com"',
    'URI:"x", DNS:egress.example.com',
  ])('is none for %s', (names) => {
    expect(find(names)).toBeUndefined();
  });
});
