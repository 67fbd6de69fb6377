// Finds the process that uses the port of a starting sidecar, by the kernel's table and the containers that the
// injector lists.
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { podContainer, userListeningAt, whoHas } from '../../../proxy/port-in-use.ts';
import { startNode } from '../../support/process.ts';

const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:3C28 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1 0000 100 0 0 10 0
   1: 0100007F:3C82 0100007F:3C28 01 00000000:00000000 00:00000000 00000000  2000        0 2 1 0000 20 4 0 10 -1
   0: 00000000000000000000000000000000:0050 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 3 1 0000`;

describe('the kernel’s table of sockets', () => {
  it.each([
    [15_400, 1000],
    [80, 0],
    [15_490, undefined],
    [1, undefined],
  ])('for port %i contains the listening user %s', (port, user) => {
    expect(userListeningAt(port, table)).toBe(user);
  });

  it('contains no user when it is malformed', () => {
    expect(userListeningAt(80, '')).toBeUndefined();
    expect(userListeningAt(80, 'nonsense\n: : :')).toBeUndefined();
  });
});

describe('the container that uses a port', () => {
  const containers = [
    { name: 'app', user: 1000 },
    { name: 'web', user: 2000 },
    { name: 'log', user: undefined },
    { name: 'mesh', user: undefined },
  ];

  it.each([
    [2000, containers, 'container web, as user 2000'],
    [0, containers, 'one of the containers log, mesh, as user 0'],
    [undefined, containers, 'one of the containers app, web, log, mesh'],
    [0, containers.slice(0, 3), 'container log, as user 0'],
    [0, containers.slice(0, 2), 'a process, as user 0, of no container that the pod had when it was made'],
    [undefined, [], 'a process, of no container that the pod had when it was made'],
  ])('of user %s is named as precisely as possible', (user, among, who) => {
    expect(whoHas(user, among)).toBe(who);
  });

  it.each(['app', 'App:1', 'app:x', ':1', 'app:1:2'])('cannot be configured as %j', (value) => {
    expect(() => podContainer(value)).toThrow('must be container:user');
  });
});

describe('a sidecar whose port is in use', () => {
  it.each([
    ['GATEWAY_LISTEN', 'model-gateway.io/port'],
    ['GATEWAY_ADMIN_LISTEN', 'model-gateway.io/admin-port'],
  ])(
    'exits at once with 1, naming the container and the annotation that moves the port: %s',
    async (setting, annotation) => {
      const taken = createServer();
      await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
      const address = `127.0.0.1:${(taken.address() as AddressInfo).port}`;
      const child = startNode(['proxy/main.ts'], {
        env: {
          GATEWAY_LISTEN: '127.0.0.1:0',
          GATEWAY_ADMIN_LISTEN: '127.0.0.1:0',
          GATEWAY_FORWARD_TO: 'http://127.0.0.1:1',
          GATEWAY_POD_CONTAINERS: `app:,other:${(process.getuid?.() ?? 0) + 1}`,
          [setting]: address,
        },
      });
      expect(await child.exited).toBe(1);
      expect(child.stderr()).toMatch(
        new RegExp(
          `^proxy: ${address} is already in use by (container app, as user \\d+|one of .*); the pod’s annotation ${annotation} moves the sidecar’s\n$`,
        ),
      );
      taken.close();
    },
  );
});
