// `npm run cluster-check`: runs the manifests, the injector and the keeper against Kubernetes' own API server with all
// its admission plugins, built from its published Go module, over etcd. Not part of npm test: it needs Go, some minutes
// for the first build, and root for its own networks. All its processes are in a network namespace of this process and
// end with it; this repository contains nothing of Kubernetes.
//   --bin <folder>          for the built programs (default: gateway-cluster-bin in the folder for temporary files)
//   --kubernetes <version>  default v1.34.4
//   --only <groups>         of install (always), webhooks, words, sizes, audit, ports, certificates, uninstall;
//                           commas between them
//   --record                writes the API server's requests and responses to test/integration; npm test replays them
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findProgram } from '../test/support/containers.ts';
import { binariesIn } from './cluster-check/build.ts';
import type { Check, Scene } from './cluster-check/check.ts';
import { auditChecks } from './cluster-check/checks/audit.ts';
import { certificateChecks } from './cluster-check/checks/certificates.ts';
import { installChecks } from './cluster-check/checks/install.ts';
import { portChecks } from './cluster-check/checks/ports.ts';
import { reviewChecks } from './cluster-check/checks/reviews.ts';
import { sizeChecks } from './cluster-check/checks/sizes.ts';
import { uninstallChecks } from './cluster-check/checks/uninstall.ts';
import { webhookChecks } from './cluster-check/checks/webhooks.ts';
import { wordChecks } from './cluster-check/checks/words.ts';
import { type Cluster, startCluster } from './cluster-check/cluster.ts';
import { recordChecks } from './cluster-check/record.ts';
import { whatIsMissing } from './render.ts';

const { values } = parseArgs({
  options: {
    bin: { type: 'string', default: join(tmpdir(), 'gateway-cluster-bin') },
    kubernetes: { type: 'string', default: 'v1.34.4' },
    only: { type: 'string' },
    record: { type: 'boolean', default: false },
    inside: { type: 'boolean', default: false },
  },
});
const versions = { kubernetes: values.kubernetes, etcd: 'v3.6.16' };

/**
 * The groups run in this order. Each needs the results of the first, and continues from the state after the one before.
 */
const groups: Readonly<Record<string, readonly Check[]>> = {
  install: installChecks,
  webhooks: webhookChecks,
  words: wordChecks,
  sizes: sizeChecks,
  audit: auditChecks,
  ports: portChecks,
  certificates: certificateChecks,
  uninstall: uninstallChecks,
  ...(values.record && { record: [...reviewChecks, ...recordChecks] }),
};
const wanted = ['install', 'record', ...(values.only?.split(',') ?? Object.keys(groups))];
const checks = Object.entries(groups).flatMap(([name, all]) => (wanted.includes(name) ? all : []));

const missing = values.inside ? [] : whatIsNeeded();
if (missing.length > 0) {
  console.error(`cluster-check cannot run here:\n${missing.map((one) => `  ${one}`).join('\n')}`);
  process.exitCode = 1;
} else if (values.inside) {
  process.exitCode = await runInside();
} else {
  binariesIn(values.bin, versions);
  process.exitCode = runInNamespaces();
}

function whatIsNeeded(): string[] {
  const programs = {
    go: 'to build Kubernetes (1.24 or later)',
    openssl: 'for certificates',
    ip: 'and',
    nsenter: 'and',
    unshare: 'for networks',
    'redis-server': 'for the egress gateway',
    nice: '',
  };
  const absent = Object.entries(programs).filter(([name]) => findProgram(name, ['/usr/sbin', '/sbin']) === undefined);
  const kubectl = whatIsMissing();
  return [
    ...(process.platform === 'linux' ? [] : ['it needs Linux: pods are network namespaces']),
    ...(process.getuid?.() === 0 ? [] : ['it needs root: pods are network namespaces, and a kubelet is root too']),
    ...absent.map(([name, why]) => `${name} is not on the PATH, ${why}`),
    ...(kubectl === undefined ? [] : [kubectl]),
  ];
}

/** Runs this program again in a network namespace and a mount namespace that end with it. */
function runInNamespaces(): number {
  const again = [process.execPath, ...process.execArgv, import.meta.filename, ...process.argv.slice(2), '--inside'];
  const { status } = spawnSync('unshare', ['-n', '-m', '--propagation', 'private', ...again], {
    stdio: 'inherit',
  });
  return status ?? 1;
}

async function runInside(): Promise<number> {
  const began = performance.now();
  const cluster = await startCluster(binariesIn(values.bin, versions));
  console.log(`Kubernetes ${values.kubernetes} responds after ${seconds(began)}`);
  try {
    return await runChecks(cluster);
  } finally {
    await cluster.close();
  }
}

async function runChecks(cluster: Cluster): Promise<number> {
  const scene: Scene = { injectors: [] };
  let failed = 0;
  for (const check of checks) {
    const began = performance.now();
    try {
      const figures = await check.run(cluster, scene);
      console.log(`✓ ${check.name}${figures === undefined ? '' : `: ${figures}`} (${seconds(began)})`);
    } catch (error) {
      failed++;
      console.log(`✗ ${check.name} (${seconds(began)})\n    ${error instanceof Error ? error.message : error}`);
    }
  }
  console.log(`${checks.length - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
