// doctor and TLS: every fault of a certificate is named, and no token is sent to a server with a faulty one.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Transport } from '../../../gatewayctl/target.ts';
import { visit } from '../../support/diagnosis.ts';
import { bootstrap, type OperatorsPlane, startOperatorsPlane } from '../../support/operators.ts';
import { type CertificateRequest, createAuthority, type TestAuthority } from '../../support/tls.ts';

const dayMs = 86_400_000;

describe('doctor at a control plane over TLS', () => {
  let authority: TestAuthority;
  let stranger: TestAuthority;
  const planes: OperatorsPlane[] = [];
  let good: OperatorsPlane;
  let token: string;
  beforeAll(async () => {
    authority = await createAuthority();
    stranger = await createAuthority('another authority');
    good = await start({ commonName: 'control plane' });
    token = (await withPlaintext()).token;
  });
  afterAll(async () => {
    for (const plane of planes) await plane.close();
    authority.remove();
    stranger.remove();
  });

  async function start(request: CertificateRequest): Promise<OperatorsPlane> {
    const { certFile, keyFile } = await authority.issue(request);
    const env = { GATEWAY_TLS_CERT_FILE: certFile, GATEWAY_TLS_KEY_FILE: keyFile };
    const plane = await startOperatorsPlane({ env });
    planes.push(plane);
    return plane;
  }

  /** A token of the right form, from another control plane. */
  async function withPlaintext() {
    const plane = await startOperatorsPlane();
    planes.push(plane);
    return await bootstrap(plane);
  }

  const at = (plane: OperatorsPlane, host = 'localhost') => `${host}:${plane.plane.grpcPort}`;
  const trusting = (): Transport => ({ kind: 'tls', caFile: authority.caFile });

  it('finds a valid certificate valid, by name and by address', async () => {
    for (const host of ['localhost', '127.0.0.1']) {
      const visited = await visit({ server: at(good, host), token, transport: trusting() });
      expect(visited.found('tls')).toMatchObject({
        verdict: 'ok',
        says: expect.stringMatching(/test authority, and ends in 2[34] h/),
      });
      // The token is another control plane's.
      expect(visited.failures).toEqual(['token']);
    }
  });

  it('reports that the server uses TLS where plain text is expected', async () => {
    const visited = await visit({ server: at(good), token });
    expect(visited.failures).toEqual(['tls']);
    expect(visited.found('tls').says).toContain('the server speaks TLS');
  });

  it('reports an unknown authority', async () => {
    for (const transport of [{ kind: 'tls' }, { kind: 'tls', caFile: stranger.caFile }] as const) {
      const visited = await visit({ server: at(good), token, transport });
      expect(visited.failures).toEqual(['tls']);
      expect(visited.found('tls')).toMatchObject({
        says: expect.stringContaining('not trusted here: CN=test authority'),
        advice: expect.stringContaining('--ca-file'),
      });
      expect(visited.found('token').verdict).toBe('skipped');
    }
  });

  it('reports a certificate for another name', async () => {
    const plane = await start({ commonName: 'control plane', names: ['DNS:control-plane.example'] });
    const visited = await visit({ server: at(plane), token, transport: trusting() });
    expect(visited.failures).toEqual(['tls']);
    expect(visited.found('tls')).toMatchObject({
      says: expect.stringContaining('not for localhost but for DNS:control-plane.example'),
      advice: expect.stringContaining('--server-name'),
    });
    const named = { ...trusting(), serverName: 'control-plane.example' } as Transport;
    expect((await visit({ server: at(plane), token, transport: named })).found('tls').verdict).toBe('ok');
  });

  it('reports an expired certificate', async () => {
    const plane = await start({ commonName: 'control plane', days: -1 });
    const visited = await visit({ server: at(plane), token, transport: trusting() });
    expect(visited.failures).toEqual(['tls']);
    expect(visited.found('tls').says).toMatch(/expired 2[45] h ago/);
  });

  it('reports a certificate that is not valid yet by this machine’s clock', async () => {
    const now = () => Date.now() - 2 * dayMs;
    const visited = await visit({ server: at(good), token, transport: trusting(), now });
    expect(visited.failures).toEqual(['tls']);
    expect(visited.found('tls')).toMatchObject({
      says: expect.stringContaining('valid only from'),
      advice: expect.stringContaining('clock'),
    });
  });

  it('warns of a certificate that expires soon', async () => {
    const plane = await start({ commonName: 'control plane', days: 100 });
    const soon = () => Date.now() + 84 * dayMs;
    const visited = await visit({ server: at(plane), token, transport: trusting(), now: soon });
    expect(visited.found('tls')).toMatchObject({
      verdict: 'warning',
      says: expect.stringMatching(/ends in 1[56] days/),
    });
  });

  it('also checks the certificate that the replica reports about itself', async () => {
    const plane = await start({ commonName: 'control plane', days: 100 });
    const admins = [`http://127.0.0.1:${plane.plane.adminPort}`];
    const visited = await visit({ server: at(plane), token, transport: trusting(), admins });
    expect(visited.found('program')).toMatchObject({
      verdict: 'ok',
      says: expect.stringContaining('(control plane)'),
    });
    expect(visited.found('certificates')).toMatchObject({
      verdict: 'ok',
      says: expect.stringMatching(/: server ends in (99|100) days/),
    });
    const late = () => Date.now() + 95 * dayMs;
    const later = await visit({ server: at(plane), token, transport: trusting(), admins, now: late });
    expect(later.found('certificates')).toMatchObject({ verdict: 'failed' });
  });

  it('reports a port of the JSON API over TLS', async () => {
    const server = `localhost:${good.plane.httpPort}`;
    const visited = await visit({ server, token, transport: trusting() });
    expect(visited.failures).toEqual(['grpc']);
    expect(visited.found('grpc').says).toContain('HTTP/1.1');
  });

  it.each([
    ['do not exist', () => '/nowhere/ca.crt', 'cannot be read (ENOENT)'],
    ['are not certificates', () => import.meta.filename, 'contains no certificate'],
  ])('reports authorities that %s', async (_what, file, says) => {
    const transport: Transport = { kind: 'tls', caFile: file() };
    const visited = await visit({ server: at(good), token, transport });
    expect(visited.failures).toEqual(['configuration', 'tls']);
    expect(visited.found('configuration').says).toContain(says);
  });
});
