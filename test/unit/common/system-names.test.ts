import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { candidates, createAskSystem, inHosts } from '../../../common/system-names.ts';
import { startDnsServer } from '../../support/dns-server.ts';

const pod = 'nameserver 10.96.0.10\nsearch shop.svc.cluster.local svc.cluster.local\noptions ndots:5 timeout:1\n';

describe('host names of the system', () => {
  it.each([
    ['vendor.example.com', '', ['vendor.example.com']],
    ['model', 'search a.example b.example.', ['model.a.example', 'model.b.example', 'model']],
    ['m.internal', '# search x\n; search y\nsearch a.example', ['m.internal', 'm.internal.a.example']],
    ['m', 'domain a.example', ['m.a.example', 'm']],
    [
      'simulator.gateway.svc',
      pod,
      [
        'simulator.gateway.svc.shop.svc.cluster.local',
        'simulator.gateway.svc.svc.cluster.local',
        'simulator.gateway.svc',
      ],
    ],
    ['whole.svc.', pod, ['whole.svc']],
    ['m', 'options ndots:99\nsearch a', ['m.a', 'm']],
  ])('%s is looked up, with %j, as %j', (host, resolv, expected) => {
    expect(candidates(host, resolv)).toEqual(expected);
  });

  it('are found in the hosts file', () => {
    const hosts =
      '127.0.0.1 localhost\n::1 localhost # v6\n10.0.0.5\tModels.Internal models # m.internal\nnonsense x\n';
    expect(inHosts(hosts, 'models.internal')).toEqual([{ address: '10.0.0.5', family: 4 }]);
    expect(inHosts(hosts, 'localhost').map(({ family }) => family)).toEqual([4, 6]);
    expect(inHosts(hosts, 'm.internal')).toEqual([]);
    expect(inHosts(hosts, 'x')).toEqual([]);
  });

  it('are looked up in the hosts file first, then in each search domain', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gateway-names-'));
    const [hostsFile, resolvFile] = [join(folder, 'hosts'), join(folder, 'resolv.conf')];
    writeFileSync(hostsFile, '192.0.2.9 written.internal\n');
    writeFileSync(resolvFile, 'search a.example b.example\n');
    const server = await startDnsServer({ 'model.b.example': ['192.0.2.1'] });
    try {
      const ask = createAskSystem({ servers: [server.address], hostsFile, resolvFile });
      expect((await ask('model')).addresses).toEqual([{ address: '192.0.2.1', family: 4 }]);
      expect((await ask('written.internal')).addresses).toEqual([{ address: '192.0.2.9', family: 4 }]);
      expect(new Set(server.requested)).toEqual(new Set(['model.a.example', 'model.b.example']));
      await expect(ask('other')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    } finally {
      await server.close();
    }
  });
});
