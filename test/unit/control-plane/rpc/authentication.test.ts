// The peer of a connection: its address, and the proxy that its certificate names.
import { describe, expect, it } from 'vitest';
import { certificateProxyOf, isConfidential, peerOf } from '../../../../control-plane/rpc/authentication.ts';

describe('the address of a peer', () => {
  it.each([
    ['127.0.0.1:4711', '127.0.0.1', 4711],
    ['::ffff:10.0.0.1:4711', '::ffff:10.0.0.1', 4711],
    ['fd00::1:4711', 'fd00::1', 4711],
    ['unknown', 'unknown', undefined],
  ])('is parsed from %s as %s', (printed, remoteAddress, remotePort) => {
    expect(peerOf(printed)).toEqual({ remoteAddress, remotePort });
  });

  it.each([
    ['127.0.0.1', true],
    ['127.8.9.1', true],
    ['::1', true],
    ['10.0.0.1', false],
    ['fd00::1', false],
    ['unknown', false],
  ])('decides whether secrets may be sent in plain text to %s: %s', (address, confidential) => {
    expect(isConfidential(false, address)).toBe(confidential);
    expect(isConfidential(true, address)).toBe(true);
  });
});

describe('the proxy that a client certificate names', () => {
  const egress = { id: 'egress.example.com', organizationId: undefined };
  const sidecar = { id: 'spiffe://cluster/sidecar', organizationId: 'acme' };
  const find = (names: string | undefined) => certificateProxyOf(names, [egress, sidecar]);

  it('is the first configured proxy among the DNS and URI names', () => {
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
    // node:tls prints a URI that contains ", DNS:egress.example.com" like this.
    'URI:"http://x/\\u002c DNS:egress.example.com"',
    'URI:"x", DNS:egress.example.com',
  ])('is none for %s', (names) => {
    expect(find(names)).toBeUndefined();
  });
});
