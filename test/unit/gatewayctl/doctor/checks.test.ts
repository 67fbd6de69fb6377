// The doctor's verdicts at their boundaries, from data alone: when a check is ok, a warning or failed, and which text
// it gives.
import { describe, expect, it } from 'vitest';
import { createCredential } from '../../../../common/credential.ts';
import { Secret } from '../../../../common/secret.ts';
import { checkClock } from '../../../../gatewayctl/doctor/clock.ts';
import { checkConfiguration } from '../../../../gatewayctl/doctor/configuration.ts';
import { checkConnection, checkGrpc, checkName, checkTls } from '../../../../gatewayctl/doctor/connection.ts';
import type { CertificateSeen, Met, ProbeResult, TlsMet } from '../../../../gatewayctl/doctor/probe.ts';
import { checkProxy } from '../../../../gatewayctl/doctor/proxy.ts';
import { checkDatabase, checkVersions } from '../../../../gatewayctl/doctor/replicas.ts';
import { checkToken } from '../../../../gatewayctl/doctor/token.ts';
import { checkSkew } from '../../../../gatewayctl/doctor/versions.ts';
import { checkProxies, checkRedis } from '../../../../gatewayctl/doctor/watching-proxies.ts';
import type { Target } from '../../../../gatewayctl/target.ts';
import type { GetStatusResponse__Output as Status } from '../../../../proto/generated/gateway/v1/GetStatusResponse.ts';
import type { Watcher__Output as Watcher } from '../../../../proto/generated/gateway/v1/Watcher.ts';

const now = Date.parse('2026-03-01T12:00:00.000Z');
const [second, day] = [1000, 86_400_000];
const at = (ms: number) => new Date(ms).toISOString();

const plaintext: Target = {
  ...{ server: 'gateway.example:50051', transport: { kind: 'plaintext' }, token: undefined, timeoutMs: 1000 },
};
const tls: Target = { ...plaintext, transport: { kind: 'tls' } };

const status: Status = {
  ...{ version: '0.1.0', replica: 'replica-1', startedAt: at(now - day), time: at(now) },
  database: 'DATABASE_KIND_POSTGRES',
  feed: { position: { epoch: 'e', revision: '7' }, ageMs: '0' },
  caller: { personId: 'p', name: 'Olga', role: 'ROLE_OWNER', tokenEndsAt: at(now + 30 * day) },
  ...{ permissions: [], providers: [] },
};
const watcher: Watcher = {
  ...{ identity: 'token-1', address: '192.0.2.1', since: at(now - 60 * second), askedAt: at(now - second) },
  ...{ version: '0.1.0', host: 'proxy-a', redis: 'REDIS_STATE_OK' },
  ...{ providers: [], targetsLeftOut: 0 },
};
const responseTo = (over: Partial<Status> = {}): ProbeResult => ({
  ...{ status: { ...status, ...over }, sentAt: now - 10, receivedAt: now + 10 },
});
const watched = (...watchers: Partial<Watcher>[]): ProbeResult =>
  responseTo({
    watchers: { watchers: watchers.map((one) => ({ ...watcher, ...one })), total: watchers.length },
  });
const failedCall = (code: string, reason?: string): ProbeResult => ({
  ...{ code, message: 'why', reason, beforeStatus: false },
});

describe('the doctor’s check of the configuration', () => {
  const seen = { file: '/etc/olga/config.json', context: 'prod' };
  const files = { mode: undefined, authoritiesProblem: undefined };

  it.each([
    [0o600, 'ok'],
    [0o400, 'ok'],
    [0o640, 'warning'],
    [0o604, 'warning'],
    [undefined, 'ok'],
  ])('with file mode %o gives: %s', (mode, verdict) => {
    expect(checkConfiguration(tls, seen, { ...files, mode })).toMatchObject({ verdict });
  });

  it('warns when tokens would cross the network in plain text', () => {
    expect(checkConfiguration(plaintext, seen, files)).toMatchObject({ verdict: 'warning' });
    const local = { ...plaintext, server: '127.0.0.1:50051' };
    expect(checkConfiguration(local, {}, files)).toMatchObject({
      verdict: 'ok',
      says: '127.0.0.1:50051 over plaintext, from the command line or environment',
    });
  });
});

describe('the doctor’s checks of name and connection', () => {
  const endpoint = { host: 'gateway.example', port: 50051 };
  const refused: Met = { speaks: 'nothing', code: 'ECONNREFUSED' };
  const up: Met = { speaks: 'http2' };

  it.each([
    [undefined, 'ok', 'nothing to look up'],
    [{ found: ['10.0.0.1', '10.0.0.2'] }, 'ok', '10.0.0.1, 10.0.0.2'],
    [{ error: 'ENOTFOUND' }, 'failed', 'ENOTFOUND'],
    [{ error: 'EAI_AGAIN' }, 'failed', 'resolver'],
  ])('the resolver returns %j', (looked, verdict, says) => {
    expect(checkName(endpoint, looked)).toMatchObject({ verdict, says: expect.stringContaining(says) });
  });

  it.each([
    ['all addresses respond', [up, up], 'ok'],
    ['one of two addresses does not respond', [up, refused], 'warning'],
    ['no address responds', [refused, refused], 'failed'],
    ['there is no address', [], 'skipped'],
  ] as const)('%s', (_what, mets, verdict) => {
    const meetings = mets.map((met, i) => ({ address: `10.0.0.${i}`, met }));
    expect(checkConnection(endpoint, meetings).verdict).toBe(verdict);
    const finding = checkConnection(endpoint, meetings);
    if (verdict === 'warning') expect(finding.says).toBe('10.0.0.1 port 50051: nothing listens there');
  });

  it.each([
    ['ETIMEDOUT', 'no response', 'NetworkPolicies'],
    ['EHOSTUNREACH', 'no connection (EHOSTUNREACH)', 'NetworkPolicies'],
    ['ECONNREFUSED', 'nothing listens', 'GATEWAY_GRPC_LISTEN'],
  ])('there is no connection: %s', (code, says, advice) => {
    const meetings = [{ address: '10.0.0.1', met: { speaks: 'nothing', code } as const }];
    const finding = checkConnection(endpoint, meetings);
    expect(finding).toMatchObject({ says: expect.stringContaining(says) });
    expect(finding).toMatchObject({ advice: expect.stringContaining(advice) });
  });
});

describe('the doctor’s check of TLS', () => {
  const certificate: CertificateSeen = {
    ...{ distrust: undefined, nameFits: true, expectedName: 'gateway.example', names: 'DNS:gateway.example' },
    ...{ issuer: 'CN=authority', validFrom: now - 30 * day, validTo: now + 60 * day },
  };
  const verdicts = (over: Partial<CertificateSeen>) => {
    const met: TlsMet = { speaks: 'tls', http2: true, certificate: { ...certificate, ...over } };
    return checkTls(tls, [{ address: '10.0.0.1', met }], now);
  };

  it.each([
    ['good', {}, 'ok', 'ends in 60 days'],
    ['at its last moment', { validTo: now }, 'failed', 'ends in 0 ms'],
    ['a moment too old', { validTo: now - 1 }, 'failed', 'expired 1 ms ago'],
    ['at its first moment', { validFrom: now }, 'ok', 'ends in'],
    ['a moment too young', { validFrom: now + 1 }, 'failed', 'valid only from'],
    ['with 21 of 90 days left', { validFrom: now - 69 * day, validTo: now + 21 * day }, 'ok', '21 days'],
    ['with less left', { validFrom: now - 69 * day, validTo: now + 21 * day - 1 }, 'warning', '20 days'],
    ['with 7 of 90 days left', { validFrom: now - 83 * day, validTo: now + 7 * day }, 'warning', '7 days'],
    ['with hardly any left', { validFrom: now - 83 * day, validTo: now + 7 * day - 1 }, 'failed', '6 days'],
    ['for one day, half of it left', { validFrom: now - day / 2, validTo: now + day / 2 }, 'ok', '12 h'],
    ['for one day, a fifth left', { validFrom: now - 0.8 * day, validTo: now + 0.2 * day }, 'warning', '5 h'],
    ['for one day, an hour left', { validFrom: now - day, validTo: now + day / 24 }, 'failed', '60 min'],
    ['for another name', { nameFits: false }, 'failed', 'not for gateway.example but for DNS:gateway'],
    ['for no name', { nameFits: false, names: '' }, 'failed', 'but for no name'],
    ['of a stranger', { distrust: 'SELF_SIGNED_CERT_IN_CHAIN' }, 'failed', 'CN=authority (SELF_SIGNED'],
  ] as const)('a certificate: %s', (_what, over, verdict, says) => {
    expect(verdicts(over)).toMatchObject({ verdict, says: expect.stringContaining(says) });
  });

  it('all problems of a certificate are reported at once', () => {
    const finding = verdicts({ validTo: now - day, nameFits: false, distrust: 'X' });
    for (const part of ['expired', 'not for', 'not trusted']) expect(finding.says).toContain(part);
    for (const part of ['renew', '--server-name', '--ca-file']) expect(finding.advice).toContain(part);
  });

  it('the worst result of several replicas counts', () => {
    const met = (over: Partial<CertificateSeen>): Met => ({
      ...{ speaks: 'tls', http2: true, certificate: { ...certificate, ...over } },
    });
    const meetings = [
      { address: '10.0.0.1', met: met({}) },
      { address: '10.0.0.2', met: met({ validTo: now - day }) },
      { address: '10.0.0.3', met: { speaks: 'nothing', code: 'ECONNREFUSED' } as const },
    ];
    expect(checkTls(tls, meetings, now).says).toContain('expired');
  });

  it.each([
    ['plaintext meets TLS', plaintext, { speaks: 'tls', http2: true, certificate }, 'failed'],
    ['plaintext meets plaintext', plaintext, { speaks: 'http2' }, 'ok'],
    ['TLS meets plaintext', tls, { speaks: 'http2' }, 'failed'],
    ['TLS meets silence', tls, { speaks: 'silence' }, 'failed'],
    ['TLS meets a closed port', tls, { speaks: 'nothing', code: 'ECONNREFUSED' }, 'skipped'],
    ['no certificate is shown', tls, { speaks: 'tls', http2: true, certificate: undefined }, 'failed'],
  ] as const)('%s', (_what, target, met, verdict) => {
    expect(checkTls(target, [{ address: '10.0.0.1', met }], now).verdict).toBe(verdict);
  });
});

describe('the doctor’s check of gRPC', () => {
  const verdicts = (met: Met, ...results: ProbeResult[]) =>
    checkGrpc(plaintext, [{ address: '10.0.0.1', met }], results);

  it.each([
    ['HTTP/1.1', { speaks: 'http1' }, 'failed', 'HTTP/1.1'],
    ['TLS without HTTP/2', { speaks: 'tls', http2: false, certificate: undefined }, 'failed', 'HTTP/1.1'],
    ['something else', { speaks: 'unknown' }, 'failed', 'speaks no gRPC'],
    ['no listener', { speaks: 'nothing', code: 'ECONNREFUSED' }, 'skipped', 'no connection'],
    ['TLS that is not trusted', { speaks: 'tls', http2: true, certificate: undefined }, 'skipped', 'TLS'],
  ] as const)('there is %s', (_what, met, verdict, says) => {
    expect(verdicts(met)).toMatchObject({ verdict, says: expect.stringContaining(says) });
  });

  it.each([
    ['a status', responseTo(), 'ok', 'replica replica-1, version 0.1.0'],
    ['a refusal of the contract', failedCall('UNAUTHENTICATED', 'unauthenticated'), 'ok', 'control plane'],
    ['that of another server', failedCall('UNIMPLEMENTED'), 'failed', 'not a control plane'],
    ['none in time', failedCall('DEADLINE_EXCEEDED'), 'failed', 'does not respond (DEADLINE_EXCEEDED'],
    [
      'that of an older control plane',
      { ...failedCall('UNIMPLEMENTED'), beforeStatus: true } as ProbeResult,
      'warning',
      'older than the Status service',
    ],
  ])('the response is %s', (_what, results, verdict, says) => {
    expect(verdicts({ speaks: 'http2' }, results)).toMatchObject({
      ...{ verdict, says: expect.stringContaining(says) },
    });
  });
});

describe('the doctor’s check of the token', () => {
  const token = createCredential('operator');
  const verdicts = (endsAt: number) =>
    checkToken(
      new Secret(token),
      [responseTo({ caller: { ...(status.caller ?? never()), tokenEndsAt: at(endsAt) } })],
      now,
    );

  it.each([
    ['in 7 days', now + 7 * day, 'ok'],
    ['a moment earlier', now + 7 * day - 1, 'warning'],
  ])('a token that ends %s', (_what, endsAt, verdict) => {
    expect(verdicts(endsAt)).toMatchObject({ verdict, says: expect.stringContaining('Olga’s, owner') });
  });

  it('uses the response of any replica', () => {
    const results = [failedCall('UNAVAILABLE', 'unavailable'), responseTo()];
    expect(checkToken(new Secret(token), results, now).verdict).toBe('ok');
    expect(checkToken(new Secret(token), results.slice(0, 1), now).verdict).toBe('skipped');
    expect(checkToken(new Secret(token), [], now).verdict).toBe('skipped');
  });

  it('reports a role that this version does not know', () => {
    const caller = JSON.parse(JSON.stringify({ ...status.caller, role: 9 })) as Status['caller'];
    const finding = checkToken(new Secret(token), [responseTo({ caller })], now);
    expect(finding.says).toContain('a role that this gatewayctl does not know');
  });
});

describe('the doctor’s check of clocks', () => {
  const verdicts = (mineMs: number, ...proxiesMs: number[]) => {
    const watchers = proxiesMs.map((ms, i) => ({
      ...{ ...watcher, host: `proxy-${i}`, clockAheadMs: String(ms) },
    }));
    const results = responseTo({ time: at(now - mineMs), watchers: { watchers, total: watchers.length } });
    return checkClock([results]);
  };

  it.each([
    [0, 'ok'],
    [5 * second, 'ok'],
    [-5 * second, 'ok'],
    [5 * second + 1, 'warning'],
    [60 * second, 'warning'],
    [60 * second + 1, 'failed'],
    [-60 * second - 1, 'failed'],
  ])('this machine is %i ms ahead', (ms, verdict) => {
    expect(verdicts(ms).verdict).toBe(verdict);
  });

  it.each([
    ['this machine, as the proxies agree', 600 * second, [10, 20], 'this machine’s clock that is wrong'],
    ['the replica, as all differ from it', 600 * second, [600 * second], 'replica’s clock that is wrong'],
    ['unknown without proxies', 600 * second, [], 'find out which'],
    ['unknown because proxies disagree', 600 * second, [0, 600 * second], 'find out which'],
    ['of one proxy', 0, [0, -600 * second], 'set the clocks of these proxies'],
  ])('the wrong clock: %s', (_what, mine, proxies, advice) => {
    const finding = verdicts(mine, ...proxies);
    expect(finding).toMatchObject({ verdict: 'failed', advice: expect.stringContaining(advice) });
    if (mine === 0) expect(finding.says).toBe('proxy-1 is 10 min behind');
  });
});

describe('the doctor’s check of the database', () => {
  it.each([
    ['0', 'ok'],
    ['4999', 'ok'],
    ['5000', 'warning'],
    ['19999', 'warning'],
    ['20000', 'failed'],
  ])('the database was read %s ms ago', (ageMs, verdict) => {
    const results = responseTo({ feed: { position: { epoch: 'e', revision: '7' }, ageMs } });
    expect(checkDatabase([results])).toMatchObject({
      ...{ verdict, says: expect.stringMatching(/replica-1 has read PostgreSQL .* ago, at revision 7/) },
    });
  });

  it.each([
    [
      'one of two replicas cannot read the database',
      [responseTo(), failedCall('UNAVAILABLE', 'unavailable')],
      'failed',
    ],
    ['no replica was reached', [failedCall('UNAVAILABLE')], 'skipped'],
    ['no replica was called', [], 'skipped'],
    ['the token was refused', [failedCall('UNAUTHENTICATED', 'unauthenticated')], 'skipped'],
  ] as const)('%s', (_what, results, verdict) => {
    expect(checkDatabase(results).verdict).toBe(verdict);
  });
});

describe('the doctor’s check of proxies', () => {
  it.each([
    ['the proxies are not reported to this caller', responseTo(), 'skipped', 'platform operators'],
    ['no proxy is connected', watched(), 'warning', 'no proxy is connected to replica-1'],
    ['one proxy is connected', watched({}), 'ok', 'connected to replica-1: 1, namely proxy-a'],
    ['silent for 20 s', watched({ askedAt: at(now - 20 * second) }), 'ok', 'proxy-a'],
    ['silent for over 20 s', watched({ askedAt: at(now - 20 * second - 1) }), 'warning', 'proxy-a (20 s)'],
    [
      'a proxy reports no name',
      responseTo({
        watchers: {
          watchers: [
            {
              ...{ identity: 'token-1', address: '::1', since: at(now), redis: 'REDIS_STATE_UNSPECIFIED' },
              ...{ providers: [], targetsLeftOut: 0 },
            },
          ],
          total: 1,
        },
      }),
      'ok',
      'token-1 at ::1',
    ],
  ] as const)('%s', (_what, results, verdict, says) => {
    expect(checkProxies([results])).toMatchObject({ verdict, says: expect.stringContaining(says) });
  });

  it('counts the proxies of all replicas: a replica without proxies is no warning while another has some', () => {
    const other = watched({ host: 'proxy-b' });
    expect(checkProxies([watched(), other])).toMatchObject({ verdict: 'ok' });
  });

  it.each([
    ['no proxy is known', [watched()], 'skipped'],
    ['it responds to all proxies', [watched({}, {})], 'ok'],
    ['it fails a proxy', [watched({}, { redis: 'REDIS_STATE_FAILING' })], 'failed'],
    ['it fails a proxy elsewhere', [watched({}), watched({ redis: 'REDIS_STATE_FAILING' })], 'failed'],
    ['the only proxy has no Redis', [watched({ redis: 'REDIS_STATE_NONE' })], 'ok'],
    ['one of two proxies has no Redis', [watched({}, { redis: 'REDIS_STATE_NONE' })], 'warning'],
    ['no proxy has reported its state', [watched({ redis: 'REDIS_STATE_UNSPECIFIED' })], 'skipped'],
  ] as const)('Redis: %s', (_what, results, verdict) => {
    expect(checkRedis(results).verdict).toBe(verdict);
  });
});

describe('the doctor’s check of versions', () => {
  it.each([
    ['1.2.3', '1.2.3', 'ok', 'all are 1.2.3'],
    ['1.2.4', '1.2.3', 'warning', 'newer'],
    ['1.1.9', '1.2.0', 'warning', 'older'],
    ['1.3.0', '1.2.9', 'warning', 'newer'],
    ['1.4.0', '1.2.0', 'failed', 'newer'],
    ['1.0.0', '1.2.0', 'failed', 'older'],
    ['2.2.0', '1.2.0', 'failed', 'newer'],
    ['1.10.0', '1.9.0', 'warning', 'newer'],
    ['1.2.0-rc.1', '1.2.0', 'warning', 'than the control plane'],
    [undefined, '1.2.0', 'warning', 'reports no version'],
    ['main', '1.2.0', 'warning', 'main'],
  ])('%s with a control plane of %s', (version, server, verdict, says) => {
    expect(checkSkew('proxy p', version, server)).toMatchObject({
      ...{ verdict, says: expect.stringContaining(says) },
    });
  });

  it('covers gatewayctl, replicas and proxies', () => {
    expect(checkVersions('0.1.0', [watched({})]).verdict).toBe('ok');
    expect(checkVersions('0.2.0', [watched({})]).says).toContain('gatewayctl is 0.2.0, newer');
    expect(checkVersions('0.1.0', [watched({}, { version: '0.0.1', host: 'old' })]).says).toContain('proxy old');
    expect(checkVersions('0.1.0', [watched({}), responseTo({ version: '0.3.0' })]).verdict).toBe('failed');
    expect(checkVersions('0.1.0', []).verdict).toBe('skipped');
  });
});

describe('the doctor’s check of a proxy by its admin listener', () => {
  const url = 'http://127.0.0.1:9090';
  const build = 'gateway_build_info{version="0.1.0"} 1\n';
  const feed = (age: string) => `# HELP gateway_feed_age_seconds Since\ngateway_feed_age_seconds ${age}\n`;
  const seen = (metrics: string | undefined, reason = 'ok') => ({ ready: reason === 'ok', reason, metrics });

  it.each([
    ['well', seen(build + feed('1.5')), 'ok', '(0.1.0): ready, its feed 1500 ms old'],
    ['in forward mode, without a feed', seen(build), 'ok', '(0.1.0): ready'],
    ['with a feed of 20 s', seen(feed('20')), 'ok', '20 s old'],
    ['with an older feed', seen(feed('20.1')), 'failed', 'its feed is 20 s old'],
    ['without a feed since it started', seen(feed('NaN')), 'failed', 'no control plane has confirmed'],
    ['with Redis', seen(`${build}${feed('1')}gateway_redis_up 1\n`), 'ok', 'ready'],
    ['whose Redis is away', seen(`${feed('1')}gateway_redis_up 0\n`), 'failed', 'Redis does not respond'],
    ['whose Redis is not known yet', seen(`${feed('1')}gateway_redis_up NaN\n`), 'ok', 'ready'],
    ['without metrics', seen(undefined), 'warning', 'no metrics'],
    ['that drains', seen(build, 'not ready: draining'), 'failed', 'draining'],
    ['that is away', { error: 'ECONNREFUSED' }, 'failed', 'no response (ECONNREFUSED)'],
  ])('%s', (_what, admin, verdict, says) => {
    expect(checkProxy(url, admin)).toMatchObject({ verdict, says: expect.stringContaining(says) });
  });
});

function never(): never {
  throw new Error('the status has a caller');
}
