// `gatewayctl doctor` as an operator types it: its output and its exit code.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCredential } from '../../../common/credential.ts';
import { startGateway, type TestGateway } from '../../support/gateway.ts';
import { type Gatewayctl, loggedIn } from '../../support/gatewayctl.ts';
import { freePort, until } from '../../support/process.ts';

describe('gatewayctl doctor', () => {
  let gateway: TestGateway;
  let operator: Gatewayctl;
  beforeAll(async () => {
    gateway = await startGateway();
    operator = await loggedIn(gateway.controlPlane.grpcPort, gateway.secrets.platformToken);
    await until(async () => (await operator.expect('doctor')).includes('has none, and needs none'), {
      what: 'the proxy to report that it has no Redis',
    });
  });
  afterAll(async () => {
    operator.remove();
    await gateway.close();
  });

  it('exits with 0 at a healthy gateway, with one line for each check', async () => {
    const { code, out, err } = await operator.run('doctor');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const lines = out.trimEnd().split('\n');
    expect(lines[0]).toBe(`127.0.0.1:${gateway.controlPlane.grpcPort}`);
    expect(lines[1]).toMatch(/^ok {7}configuration {2}127\.0\.0\.1:\d+ over plaintext, from context local$/);
    expect(lines.at(-1)).toBe('all is well');
  });

  it('exits with 1 when a check failed, and prints advice', async () => {
    const { code, out } = await operator.run(`doctor --server 127.0.0.1:${await freePort()}`);
    expect(code).toBe(1);
    expect(out).toMatch(/FAILED {3}connection {5}127\.0\.0\.1 port \d+: nothing listens there\n {24}→ check the port/);
    expect(out).toMatch(/checks failed\n$/);
  });

  it('writes JSON for programs, and checks proxies', async () => {
    const away = `http://127.0.0.1:${await freePort()}`;
    const { code, out } = await operator.run(`doctor --json --proxy ${gateway.proxy.adminUrl} --proxy ${away}`);
    expect(code).toBe(1);
    const report = JSON.parse(out);
    expect(report).toMatchObject({ server: `127.0.0.1:${gateway.controlPlane.grpcPort}`, ok: false });
    const proxies = report.checks.filter(({ check }: { check: string }) => check === 'proxy');
    expect(proxies).toMatchObject([
      { verdict: 'ok', message: expect.stringContaining(gateway.proxy.adminUrl) },
      { verdict: 'failed', message: expect.stringContaining('ECONNREFUSED'), advice: expect.any(String) },
    ]);
  });

  it('reports a token that is not accepted, and does not repeat it', async () => {
    const unknown = createCredential('operator');
    const { code, out } = await operator.run('doctor', { env: { GATEWAYCTL_TOKEN: unknown } });
    expect(code).toBe(1);
    expect(out).toContain('does not accept the token');
    expect(out).not.toContain(unknown);
  });
});
