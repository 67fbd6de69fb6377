import { describe, expect, it } from 'vitest';
import { createControlPlaneClient } from '../../../../proxy/control-plane/client.ts';

const plain = { token: undefined, credentials: undefined, allowPlaintext: false };

describe('the address of the control plane', () => {
  it.each(['127.0.0.1:1', '127.9.9.9:1', '[::1]:1', 'localhost:1'])('is accepted without TLS at %s', (address) => {
    createControlPlaneClient({ ...plain, addresses: [address] }).close();
  });

  it.each(['10.0.0.1:1', 'control-plane:1', '[2001:db8::1]:1', '127.0.0.1.example.org:1'])(
    'is refused without TLS at %s',
    (address) => {
      expect(() => createControlPlaneClient({ ...plain, addresses: [address] })).toThrow('plain text');
    },
  );

  it('is accepted without TLS at any host when plaintext is allowed', () => {
    createControlPlaneClient({
      ...plain,
      allowPlaintext: true,
      addresses: ['10.0.0.1:1', '10.0.0.2:1'],
    }).close();
  });

  it.each([
    [[], 'needs the address'],
    [['localhost'], 'host:port'],
    [['localhost:1', '127.0.0.1:2'], 'all be IPv4'],
  ])('is refused when it is %j', (addresses, message) => {
    expect(() => createControlPlaneClient({ ...plain, addresses })).toThrow(message);
  });
});
