// Checks everything between this machine and a working gateway, in the order in which the parts depend on each other.
// After a failure, all checks that are still possible are made. The token is sent only over a trusted connection.
import { familyOf } from '../../common/addresses.ts';
import { version } from '../../common/version.ts';
import { parseServer, type Target } from '../target.ts';
import { checkCatalog } from './catalog.ts';
import { checkCertificates } from './certificates.ts';
import { checkClock } from './clock.ts';
import { type ConfigurationSeen, checkConfiguration } from './configuration.ts';
import { checkConnection, checkGrpc, checkName, checkTls, type Endpoint, type Meeting } from './connection.ts';
import type { Finding } from './finding.ts';
import type { LookedUp, Probe, ProbeResult } from './probe.ts';
import { checkProgram } from './program.ts';
import { checkProxy } from './proxy.ts';
import { checkRecordKeys } from './record-keys.ts';
import { checkDatabase, checkVersions } from './replicas.ts';
import { checkSelectors } from './selectors.ts';
import { checkToken } from './token.ts';
import { checkProxies, checkRedis } from './watching-proxies.ts';

export interface DoctorRequest {
  readonly target: Target;
  readonly configuration: ConfigurationSeen;
  /** URLs of proxies' admin listeners. */
  readonly proxies: readonly string[];
  /** URLs of admin listeners of any program. */
  readonly admins: readonly string[];
}

export interface Diagnosis {
  readonly server: string;
  readonly findings: readonly Finding[];
  /** Whether a check has failed; a warning is not a failure. */
  readonly failed: boolean;
}

/** Never rejects. */
export async function diagnose(request: DoctorRequest, probe: Probe): Promise<Diagnosis> {
  const { target } = request;
  const findings = [
    await lookAtConfiguration(request, probe),
    ...(await lookAtControlPlane(target, probe)),
    ...(await lookAtPrograms(request, probe)),
  ];
  return {
    server: target.server,
    findings,
    failed: findings.some(({ verdict }) => verdict === 'failed'),
  };
}

async function lookAtConfiguration({ target, configuration }: DoctorRequest, probe: Probe): Promise<Finding> {
  const { file } = configuration;
  const { transport } = target;
  const caFile = transport.kind === 'tls' ? transport.caFile : undefined;
  return checkConfiguration(target, configuration, {
    mode: file === undefined ? undefined : await probe.fileMode(file),
    authoritiesProblem: caFile === undefined ? undefined : await probe.authoritiesProblem(caFile),
  });
}

async function lookAtControlPlane(target: Target, probe: Probe): Promise<Finding[]> {
  const endpoint = parseServer(target.server);
  const looked = familyOf(endpoint.host) === undefined ? await probe.lookUp(endpoint.host) : undefined;
  const meetings = await meet(endpoint, looked, probe);
  const tls = checkTls(target, meetings, probe.now());
  const results = tls.verdict === 'failed' ? [] : await ask(meetings, probe);
  return [
    checkName(endpoint, looked),
    checkConnection(endpoint, meetings),
    tls,
    checkGrpc(target, meetings, results),
    checkToken(target.token, results, probe.now()),
    checkClock(results),
    checkDatabase(results),
    checkProxies(results),
    checkRedis(results),
    checkRecordKeys(results),
    checkVersions(version, results),
    checkCatalog(results),
    checkSelectors(results),
  ];
}

/** At most this many replicas are checked individually. */
const addressesMax = 8;

async function meet({ host, port }: Endpoint, looked: LookedUp | undefined, probe: Probe): Promise<Meeting[]> {
  const addresses = looked === undefined ? [host] : 'found' in looked ? looked.found : [];
  return await Promise.all(
    addresses.slice(0, addressesMax).map(async (address) => ({ address, met: await probe.meet(address, port) })),
  );
}

async function ask(meetings: readonly Meeting[], probe: Probe): Promise<ProbeResult[]> {
  const worth = meetings.filter(({ met }) => met.speaks === 'http2' || (met.speaks === 'tls' && met.http2));
  return await Promise.all(worth.map(({ address }) => probe.status(address)));
}

async function lookAtPrograms({ proxies, admins }: DoctorRequest, probe: Probe): Promise<Finding[]> {
  const look = async (url: string, check: typeof checkProgram) => {
    const seen = await probe.admin(url);
    const certificates = checkCertificates(url, seen, probe.now());
    return [check(url, seen), ...(certificates === undefined ? [] : [certificates])];
  };
  const found = await Promise.all([
    ...proxies.map((url) => look(url, checkProxy)),
    ...admins.map((url) => look(url, checkProgram)),
  ]);
  return found.flat();
}
