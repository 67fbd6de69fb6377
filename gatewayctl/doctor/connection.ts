// Checks the path to the control plane: the name, the connection, TLS, and whether the server speaks gRPC. Pure.
import { type Target, transportText } from '../target.ts';
import { type Finding, failed, gravest, listed, ok, skipped, span, warning } from './finding.ts';
import {
  type CertificateSeen,
  type FailedCall,
  hasResponded,
  type LookedUp,
  type Met,
  type ProbeResult,
} from './probe.ts';

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** An address of the control plane, and the result of the probe. */
export interface Meeting {
  readonly address: string;
  readonly met: Met;
}

export function checkName({ host }: Endpoint, looked: LookedUp | undefined): Finding {
  if (looked === undefined) return ok('name', `${host} is an address; there is nothing to look up`);
  if ('found' in looked) return ok('name', `${host} is ${listed(looked.found)}`);
  if (looked.error === 'EAI_AGAIN')
    return failed('name', `the resolver of this machine does not respond for ${host}`, 'check its DNS settings');
  return failed(
    'name',
    `no address is known for ${host} (${looked.error})`,
    'check the server of the context; names of Services are known within the cluster only, elsewhere forward a port',
  );
}

export function checkConnection({ host, port }: Endpoint, meetings: readonly Meeting[]): Finding {
  if (meetings.length === 0) return skipped('connection', 'there is no address to connect to');
  const [up, down] = [meetings.filter(isUp), meetings.filter((meeting) => !isUp(meeting))];
  // `localhost` resolves to two addresses, and a program listens on one of them.
  const isEnough = host === 'localhost' ? up.length > 0 : down.length === 0;
  if (isEnough)
    return ok('connection', `${listed(up.map(({ address }) => address))} accepts connections on port ${port}`);
  const [first = ''] = down.map(({ met }) => (met.speaks === 'nothing' ? met.code : ''));
  const says = `${listed(down.map(({ address }) => address))} port ${port}: ${reasonOf(first)}`;
  const advice = adviceFor(first);
  return up.length === 0 ? failed('connection', says, advice) : warning('connection', says, advice);
}

function isUp({ met }: Meeting): boolean {
  return met.speaks !== 'nothing';
}

function reasonOf(code: string): string {
  if (code === 'ECONNREFUSED') return 'nothing listens there';
  if (code === 'ETIMEDOUT') return 'no response';
  return `no connection (${code})`;
}

function adviceFor(code: string): string {
  return code === 'ECONNREFUSED'
    ? 'check the port, whether the control plane runs, and GATEWAY_GRPC_LISTEN: by default it listens to its own machine only'
    : 'check the address, and firewalls or NetworkPolicies in between';
}

export function checkTls({ transport }: Target, meetings: readonly Meeting[], now: number): Finding {
  const reached = meetings.filter(isUp).map(({ met }) => checkProbe(transport, met, now));
  return gravest(reached, skipped('tls', 'there is no connection'));
}

function checkProbe(transport: Target['transport'], met: Met, now: number): Finding {
  if (transport.kind === 'plaintext') {
    if (met.speaks !== 'tls') return ok('tls', 'plain text, as in the context');
    return failed('tls', 'the server speaks TLS, but the context expects plain text', 'give --tls or --ca-file');
  }
  if (met.speaks !== 'tls')
    return failed(
      'tls',
      'TLS is expected, but the server speaks plain text',
      'give it a certificate (GATEWAY_TLS_CERT_FILE and GATEWAY_TLS_KEY_FILE); only to this machine or through a tunnel give --plaintext',
    );
  if (met.certificate === undefined)
    return failed('tls', 'the server shows no certificate', 'check GATEWAY_TLS_CERT_FILE of the control plane');
  return checkCertificate(met.certificate, now);
}

function checkCertificate(certificate: CertificateSeen, now: number): Finding {
  const problems = [...datesProblem(certificate, now), ...nameProblem(certificate), ...trustProblem(certificate)];
  const [first] = problems;
  if (first !== undefined) {
    const all = (part: keyof Problem) => problems.map((problem) => problem[part]).join('; ');
    return failed('tls', all('says'), all('advice'));
  }
  const { validFrom, validTo, issuer } = certificate;
  const left = validTo - now;
  const says = `the certificate for ${certificate.expectedName} is signed by ${issuer}, and ends in ${span(left)}`;
  const renew = 'renew it; if cert-manager does, look at the events of its Certificate, if the keeper, at its log';
  // Same thresholds as the alerts; for a certificate that lives only days, a fraction of its lifetime.
  const before = (days: number, part: number) => Math.min(days * 86_400_000, (validTo - validFrom) * part);
  if (left < before(7, 1 / 12)) return failed('tls', says, renew);
  return left < before(21, 1 / 4) ? warning('tls', says, renew) : ok('tls', says);
}

interface Problem {
  readonly says: string;
  readonly advice: string;
}

function datesProblem({ validFrom, validTo }: CertificateSeen, now: number): Problem[] {
  const clock = `this machine's clock shows ${timeText(now)}`;
  if (now > validTo) {
    const says = `the server's certificate has expired ${span(now - validTo)} ago (${clock})`;
    return [{ says, advice: "renew the certificate, or set this machine's clock" }];
  }
  if (now >= validFrom) return [];
  const says = `the server's certificate is valid only from ${timeText(validFrom)} on, and ${clock}`;
  return [{ says, advice: "set this machine's clock, or the clock of the issuer of certificates" }];
}

function nameProblem({ nameFits, expectedName, names }: CertificateSeen): Problem[] {
  if (nameFits) return [];
  return [
    {
      says: `the server's certificate is not for ${expectedName} but for ${names === '' ? 'no name' : names}`,
      advice: 'give one of its names with --server-name, or issue a certificate for this one',
    },
  ];
}

function trustProblem({ distrust, issuer }: CertificateSeen): Problem[] {
  if (distrust === undefined) return [];
  return [
    {
      says: `the server's certificate is signed by an authority that is not trusted here: ${issuer} (${distrust})`,
      advice: 'give the certificate of that authority with --ca-file, if it is yours',
    },
  ];
}

const ports = 'gRPC is on GATEWAY_GRPC_LISTEN (50051); 8081 is the JSON API and 9091 the admin listener';

export function checkGrpc(target: Target, meetings: readonly Meeting[], results: readonly ProbeResult[]): Finding {
  const reached = meetings.filter(isUp).map(({ met }) => met);
  if (reached.length === 0) return skipped('grpc', 'there is no connection');
  if (reached.some(isHttp1))
    return failed('grpc', 'an HTTP/1.1 server responds there, not a gRPC server', `name the right port: ${ports}`);
  if (!reached.some(({ speaks }) => speaks === 'http2' || speaks === 'tls'))
    return failed('grpc', 'the server there speaks no gRPC', `name the right port: ${ports}`);
  const responses = results.map((one) => checkResult(target, one));
  return gravest(responses, skipped('grpc', 'TLS has to work first'));
}

function checkResult({ transport }: Target, results: ProbeResult): Finding {
  if (!hasResponded(results)) return checkFailedCall(results);
  const { replica, version } = results.status;
  return ok(
    'grpc',
    `a control plane responds: replica ${replica}, version ${version}, over ${transportText(transport)}`,
  );
}

function isHttp1(met: Met): boolean {
  return met.speaks === 'http1' || (met.speaks === 'tls' && !met.http2);
}

function checkFailedCall({ code, message, reason, beforeStatus }: FailedCall): Finding {
  if (beforeStatus)
    return warning(
      'grpc',
      'a control plane responds, but it is older than the Status service, which the following checks need',
      'update the control plane',
    );
  if (reason !== undefined) return ok('grpc', 'a control plane responds');
  if (code === 'UNIMPLEMENTED' || code === 'UNKNOWN' || code === 'INTERNAL')
    return failed('grpc', 'a gRPC server responds there, but it is not a control plane', `name its address: ${ports}`);
  return failed(
    'grpc',
    `the control plane does not respond (${code}: ${message})`,
    'look at its log; if it is slow, give a longer --timeout',
  );
}

function timeText(at: number): string {
  return new Date(at).toISOString();
}
