// Runs doctor against test servers over the real network, and gives its findings by check.
import { Secret } from '../../common/secret.ts';
import { type Diagnosis, diagnose } from '../../gatewayctl/doctor/doctor.ts';
import type { CheckName, Finding } from '../../gatewayctl/doctor/finding.ts';
import { createProbe } from '../../gatewayctl/doctor/network-probe.ts';
import { reportJson, reportText } from '../../gatewayctl/doctor/report.ts';
import type { Transport } from '../../gatewayctl/target.ts';

export interface Visit {
  readonly server: string;
  readonly token?: string | undefined;
  readonly transport?: Transport;
  readonly proxies?: readonly string[];
  readonly admins?: readonly string[];
  readonly now?: () => number;
  readonly timeoutMs?: number;
}

export interface Visited {
  readonly diagnosis: Diagnosis;
  readonly found: (check: CheckName) => Finding;
  /** Names of the failed checks. */
  readonly failures: readonly CheckName[];
  /** Both forms of the report. */
  readonly written: string;
}

export async function visit(options: Visit): Promise<Visited> {
  const { server, token, transport = { kind: 'plaintext' }, now, timeoutMs = 5_000 } = options;
  const { proxies = [], admins = [] } = options;
  const target = { server, transport, token: token === undefined ? undefined : new Secret(token), timeoutMs };
  const diagnosis = await diagnose({ target, configuration: {}, proxies, admins }, createProbe(target, now));
  return {
    diagnosis,
    found: (check) => {
      const finding = diagnosis.findings.find((one) => one.check === check);
      if (finding === undefined) throw new Error(`no finding of ${check}`);
      return finding;
    },
    failures: diagnosis.findings.filter(({ verdict }) => verdict === 'failed').map(({ check }) => check),
    written: reportText(diagnosis) + JSON.stringify(reportJson(diagnosis)),
  };
}
