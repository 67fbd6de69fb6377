// Builds Kubernetes programs from their published Go modules: the API server with all its admission plugins, the
// controllers that delete dependent objects, and etcd. They are built once into a folder and reused; this repository
// contains none.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Versions {
  /** Such as v1.34.4. */
  readonly kubernetes: string;
  readonly etcd: string;
}

export interface Binaries {
  readonly apiServer: string;
  readonly controllers: string;
  readonly etcd: string;
}

interface Program {
  readonly name: string;
  readonly module: string;
  /** Package and function of its entry point. */
  readonly entry: string;
  readonly main: string;
}

const kubernetesModule = 'k8s.io/kubernetes';

const programs: Readonly<Record<keyof Binaries, Program>> = {
  apiServer: {
    name: 'kube-apiserver',
    module: kubernetesModule,
    entry: `${kubernetesModule}/cmd/kube-apiserver/app`,
    main: 'os.Exit(cli.Run(app.NewAPIServerCommand()))',
  },
  controllers: {
    name: 'kube-controller-manager',
    module: kubernetesModule,
    entry: `${kubernetesModule}/cmd/kube-controller-manager/app`,
    main: 'os.Exit(cli.Run(app.NewControllerManagerCommand()))',
  },
  etcd: {
    name: 'etcd',
    module: 'go.etcd.io/etcd/server/v3',
    entry: 'go.etcd.io/etcd/server/v3/etcdmain',
    main: 'etcdmain.Main(os.Args)',
  },
};

/** @param folder with the programs, or for them @throws Error if Go cannot build them */
export function binariesIn(folder: string, versions: Versions): Binaries {
  mkdirSync(folder, { recursive: true });
  const paths = Object.entries(programs).map(([key, program]) => {
    const path = join(folder, program.name);
    if (!existsSync(path)) build(program, path, versions);
    return [key, path] as const;
  });
  return Object.fromEntries(paths) as unknown as Binaries;
}

function build(program: Program, path: string, versions: Versions): void {
  const { name, module } = program;
  const version = module === kubernetesModule ? versions.kubernetes : versions.etcd;
  console.log(`building ${name} ${version} (some minutes, with the lowest priority) …`);
  const work = mkdtempSync(join(tmpdir(), 'gateway-cluster-build-'));
  try {
    writeFileSync(join(work, 'go.mod'), goMod(module, version));
    writeFileSync(join(work, 'main.go'), mainGo(program));
    const flags = ['-trimpath', '-mod=mod', '-buildvcs=false', `-ldflags=-s -w ${versionFlags(version)}`];
    const { status } = spawnSync('nice', ['-n', '15', 'go', 'build', ...flags, '-o', path, '.'], {
      cwd: work,
      env: { ...process.env, CGO_ENABLED: '0' },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (status !== 0) throw new Error(`${name} could not be built; see above`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * Kubernetes' own go.mod refers to its parts by folders of its repository. Published, they are modules with a matching
 * version.
 */
function goMod(module: string, version: string): string {
  const head = `module cluster-check\n\ngo 1.24.0\n\nrequire ${module} ${version}\n`;
  if (module !== kubernetesModule) return head;
  const reported = execFileSync('go', ['mod', 'download', '-json', `${module}@${version}`], {
    encoding: 'utf8',
    cwd: tmpdir(),
  });
  const { GoMod } = JSON.parse(reported) as { GoMod: string };
  const parts = readFileSync(GoMod, 'utf8').matchAll(/^\s*(k8s\.io\/[a-z-]+) v0\.0\.0$/gm);
  const names = new Set([...parts].map(([, name = '']) => name));
  return head + [...names].map((name) => `replace ${name} => ${name} ${version.replace('v1.', 'v0.')}\n`).join('');
}

function mainGo({ entry, main }: Program): string {
  const cli = main.includes('cli.') ? '\t"k8s.io/component-base/cli"\n' : '';
  return `package main\n\nimport (\n\t"os"\n\n${cli}\t"${entry}"\n)\n\nfunc main() { ${main} }\n`;
}

/** The version that `kubectl version` shows, which also decides the default features. */
function versionFlags(version: string): string {
  const [, major = '', minor = ''] = /^v(\d+)\.(\d+)\./.exec(version) ?? [];
  const variable = 'k8s.io/component-base/version';
  return [`gitVersion=${version}`, `gitMajor=${major}`, `gitMinor=${minor}`]
    .map((assignment) => `-X ${variable}.${assignment}`)
    .join(' ');
}
