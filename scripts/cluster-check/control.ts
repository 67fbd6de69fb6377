// etcd, an API server and controllers as processes on addresses of their own network. There is no kubelet and no
// scheduler, so pods are admitted and stored, but never run. The processes end with the process that started them.
import { execFile, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Child, startProcess, until } from '../../test/support/process.ts';
import { createAuthority, type TestAuthority } from '../../test/support/tls.ts';
import type { Binaries } from './build.ts';

/** Address of this check's processes: API server, Redis, the simulated vendor. */
export const hostAddress = '10.77.0.1';
const apiUrl = `https://${hostAddress}`;

export interface Control {
  /** PEM file of the API server's authority. */
  readonly caFile: string;
  readonly folder: string;
  /** Runs kubectl as an administrator. @throws Error with kubectl's output */
  kubectl(args: readonly string[], input?: string): string;
  /** Like kubectl, but never throws. */
  run(args: readonly string[], input?: string): CommandOutput;
  /** Like run, but does not block this process. */
  start(args: readonly string[], input?: string): Promise<CommandOutput>;
  /** Like run, with both streams in one text. */
  tryKubectl(args: readonly string[], input?: string): { readonly ok: boolean; readonly output: string };
  /** The parsed lines of the audit log. */
  audit(): readonly AuditEvent[];
  /** The log of the API server. */
  apiLog(): string;
  /** Ends the API server and starts a new one, whose caches are empty. */
  restartApi(): Promise<void>;
  close(): Promise<void>;
}

export interface CommandOutput {
  readonly ok: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

export interface AuditEvent {
  readonly verb: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly objectRef?: { readonly resource?: string; readonly namespace?: string; readonly name?: string };
}

export async function startControl(binaries: Binaries, folder: string): Promise<Control> {
  const authority = await createAuthority('cluster check');
  const children: { stop(): Promise<unknown> }[] = [];
  const close = async () => {
    for (const child of children.toReversed()) await child.stop();
    authority.remove();
  };
  try {
    const files = await writeFiles(folder, authority);
    children.push(startEtcd(binaries.etcd, folder));
    const kubectl = clients(files);
    let api: Child | undefined;
    const startApi = async () => {
      await api?.stop();
      const started = startApiServer(binaries.apiServer, files);
      api = started;
      await until(async () => kubectl.tryKubectl(['get', '--raw', '/readyz']).ok, {
        timeoutMs: 120_000,
        what: `the API server to be ready: ${started.stderr().slice(-500)}`,
      });
    };
    await startApi();
    children.push({ stop: async () => api?.stop() });
    children.push(startControllers(binaries.controllers, files));
    const control = { ...kubectl, folder, caFile: authority.caFile, close, restartApi: startApi };
    const audit = () => linesOf(files.auditLog).map((line) => JSON.parse(line) as AuditEvent);
    return { ...control, audit, apiLog: () => api?.stderr() ?? '' };
  } catch (error) {
    await close();
    throw error;
  }
}

/** PEM of the API server's authority, as pods get it. */
export function rootCa(control: Control, namespace: string): string {
  const path = 'jsonpath={.data.ca\\.crt}';
  return control.kubectl(['-n', namespace, 'get', 'configmap', 'kube-root-ca.crt', '-o', path]);
}

interface Files {
  readonly folder: string;
  readonly ca: string;
  readonly serving: { readonly certFile: string; readonly keyFile: string };
  readonly accountKey: string;
  readonly auditPolicy: string;
  readonly auditLog: string;
  readonly kubeconfig: string;
}

async function writeFiles(folder: string, authority: TestAuthority): Promise<Files> {
  mkdirSync(folder, { recursive: true });
  const at = (name: string) => join(folder, name);
  const names = ['DNS:kubernetes.default.svc', 'DNS:localhost', 'IP:127.0.0.1', `IP:${hostAddress}`];
  const serving = await authority.issue({ commonName: 'kube-apiserver', names });
  const admin = await authority.issue({ commonName: 'admin/O=system:masters' });
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  writeFileSync(at('accounts.key'), privateKey.export({ type: 'pkcs1', format: 'pem' }));
  const rules = [{ level: 'Metadata', resources: [{ group: '', resources: ['pods'] }] }, { level: 'None' }];
  writeFileSync(at('audit-policy'), JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules }));
  writeFileSync(at('kubeconfig'), kubeconfig(authority.caFile, admin));
  return {
    folder,
    ca: authority.caFile,
    serving,
    accountKey: at('accounts.key'),
    auditPolicy: at('audit-policy'),
    auditLog: at('audit.log'),
    kubeconfig: at('kubeconfig'),
  };
}

function kubeconfig(ca: string, admin: { certFile: string; keyFile: string }): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'check',
    clusters: [{ name: 'check', cluster: { server: apiUrl, 'certificate-authority': ca } }],
    users: [{ name: 'admin', user: { 'client-certificate': admin.certFile, 'client-key': admin.keyFile } }],
    contexts: [{ name: 'check', context: { cluster: 'check', user: 'admin' } }],
  });
}

function startEtcd(binary: string, folder: string): Child {
  return startProcess(binary, [
    ...['--data-dir', join(folder, 'etcd'), '--unsafe-no-fsync', '--log-level', 'error'],
    ...['--listen-client-urls', 'http://127.0.0.1:2379', '--advertise-client-urls', 'http://127.0.0.1:2379'],
    ...['--listen-peer-urls', 'http://127.0.0.1:2380'],
  ]);
}

function startApiServer(binary: string, files: Files): Child {
  return startProcess(binary, [
    ...['--etcd-servers=http://127.0.0.1:2379', '--service-cluster-ip-range=10.96.0.0/16'],
    ...[`--bind-address=${hostAddress}`, `--advertise-address=${hostAddress}`, '--secure-port=443'],
    ...[`--tls-cert-file=${files.serving.certFile}`, `--tls-private-key-file=${files.serving.keyFile}`],
    ...[`--client-ca-file=${files.ca}`, '--authorization-mode=RBAC'],
    ...[`--service-account-key-file=${files.accountKey}`, `--service-account-signing-key-file=${files.accountKey}`],
    '--service-account-issuer=https://kubernetes.default.svc',
    // The API server calls webhooks at the endpoints of their Service, because there is no kube-proxy.
    '--enable-aggregator-routing=true',
    // Stricter than the default: setting an owner needs a permission.
    '--enable-admission-plugins=OwnerReferencesPermissionEnforcement',
    ...[`--audit-policy-file=${files.auditPolicy}`, `--audit-log-path=${files.auditLog}`],
  ]);
}

/** The controllers that create pods of Deployments, and delete dependent objects. */
const controllers = [
  ...['namespace-controller', 'garbage-collector-controller', 'serviceaccount-controller'],
  ...['root-ca-certificate-publisher-controller', 'deployment-controller', 'replicaset-controller'],
  'job-controller',
];

function startControllers(binary: string, files: Files): Child {
  return startProcess(binary, [
    ...[`--kubeconfig=${files.kubeconfig}`, `--authentication-kubeconfig=${files.kubeconfig}`],
    ...[`--authorization-kubeconfig=${files.kubeconfig}`, '--leader-elect=false', '--bind-address=127.0.0.1'],
    ...[`--service-account-private-key-file=${files.accountKey}`, `--root-ca-file=${files.ca}`],
    ...['--use-service-account-credentials=true', `--controllers=${controllers.join(',')}`],
    '--kube-api-qps=200',
  ]);
}

function clients({ kubeconfig: config, folder }: Files): Pick<Control, 'kubectl' | 'run' | 'start' | 'tryKubectl'> {
  const env = { ...process.env, KUBECONFIG: config, HOME: folder };
  const run = (args: readonly string[], input = ''): CommandOutput => {
    const { status, stdout, stderr } = spawnSync('kubectl', args, {
      env,
      encoding: 'utf8',
      input,
      maxBuffer: 64 * 1024 ** 2,
    });
    return { ok: status === 0, stdout, stderr };
  };
  return {
    run,
    start: (args, input = '') =>
      new Promise((resolve) => {
        const child = execFile('kubectl', args, { env }, (error, stdout, stderr) =>
          resolve({ ok: error === null, stdout, stderr }),
        );
        child.stdin?.end(input);
      }),
    kubectl: (args, input) => {
      const { ok, stdout, stderr } = run(args, input);
      if (!ok) throw new Error(`kubectl ${args.join(' ')}: ${stderr || stdout}`);
      return stdout;
    },
    tryKubectl: (args, input) => {
      const { ok, stdout, stderr } = run(args, input);
      return { ok, output: stdout + stderr };
    },
  };
}

function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean);
  } catch {
    return []; // nothing was written yet
  }
}
