// Which transport is used, and the error when no server can be reached.
import { describe, expect, it } from 'vitest';
import { createCredential } from '../../../common/credential.ts';
import { connectionProblem } from '../../../gatewayctl/connection-failure.ts';
import { Failure, withoutCredentials } from '../../../gatewayctl/failure.ts';
import { chooseTransport, isLoopback, parseServer, transportText } from '../../../gatewayctl/target.ts';

describe('the address of a server', () => {
  it.each(['127.0.0.1:50051', 'localhost:1', '[::1]:50051', '127.8.8.8:1'])('%s is this machine', (server) => {
    expect(isLoopback(server)).toBe(true);
  });

  it.each(['10.0.0.1:50051', 'gateway.example.com:443', '[::2]:1', 'localhost.example.com:1', '128.0.0.1:1'])(
    '%s is another machine',
    (server) => {
      expect(isLoopback(server)).toBe(false);
    },
  );

  it.each(['', 'host', 'host:', ':1', 'host:65536', 'host:port', 'https://host:1', '::1:50051', 'a b:1'])(
    '"%s" is refused',
    (server) => {
      expect(() => parseServer(server)).toThrow(Failure);
    },
  );
});

describe('the transport to a server', () => {
  it('is plaintext to this machine and TLS elsewhere, unless options choose another one', () => {
    expect(chooseTransport('127.0.0.1:1', {})).toEqual({ kind: 'plaintext' });
    expect(chooseTransport('gateway:1', {})).toEqual({ kind: 'tls' });
    expect(chooseTransport('gateway:1', { plaintext: true })).toEqual({ kind: 'plaintext' });
    expect(chooseTransport('127.0.0.1:1', { tls: true })).toEqual({ kind: 'tls' });
    expect(chooseTransport('127.0.0.1:1', { caFile: 'ca' })).toEqual({ kind: 'tls', caFile: 'ca' });
    expect(chooseTransport('127.0.0.1:1', { serverName: 'n' })).toEqual({ kind: 'tls', serverName: 'n' });
  });

  it.each([{ tls: true }, { caFile: 'ca' }, { serverName: 'n' }])('cannot be both plaintext and %j', (wish) => {
    expect(() => chooseTransport('gateway:1', { plaintext: true, ...wish })).toThrow(/excludes/);
  });

  it('is described in words', () => {
    expect(transportText({ kind: 'plaintext' })).toBe('plaintext');
    expect(transportText({ kind: 'tls', caFile: 'ca.crt', serverName: 'n' })).toBe(
      'TLS, authorities ca.crt, server name n',
    );
  });
});

describe('a failed connection', () => {
  const problem = (message: string, kind: 'plaintext' | 'tls' = 'tls') =>
    connectionProblem({ code: 'UNAVAILABLE', message }, { transport: { kind } });

  it.each([
    ['connect ECONNREFUSED 127.0.0.1:1', 'refused'],
    ['Name resolution failed for target dns:///x:1', 'unknown-name'],
    ['Error: certificate has expired', 'expired-certificate'],
    ['Error: self-signed certificate in certificate chain', 'untrusted-certificate'],
    ['unable to verify the first certificate', 'untrusted-certificate'],
    ["Hostname/IP does not match certificate's altnames", 'wrong-name'],
    ['SSL routines:tls_validate_record_header:wrong version number', 'server-without-tls'],
    ['Deadline exceeded after 1s', 'no-response'],
    ['connect EHOSTUNREACH 10.0.0.1:1', 'no-response'],
  ])('with %s has the obstacle %s', (message, obstacle) => {
    expect(problem(message).obstacle).toBe(obstacle);
  });

  it('in plaintext may be to a server with TLS; any other error is reported unchanged', () => {
    expect(problem('Last error: Failed to connect', 'plaintext').obstacle).toBe('server-with-tls');
    expect(problem('No connection established. Last error: the moon is full. Resolution note: ')).toEqual({
      obstacle: 'other',
      advice: 'the moon is full',
    });
  });
});

it('errors are printed without credentials', () => {
  for (const kind of ['virtualKey', 'operator', 'proxy', 'bootstrap'] as const)
    expect(withoutCredentials(`there is no key "${createCredential(kind)}"!`)).toBe('there is no key "[credential]"!');
});
