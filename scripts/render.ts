// `node scripts/render.ts` writes deploy/rendered/<name>.yaml, the output of `kubectl kustomize` for each overlay: a
// line of JSON, which is YAML, for each object. They are committed, because tests of the manifests also run without a
// kubectl that can render (Debian's is too old), and because `kubectl apply -f` accepts them. Each file has a hash of
// sources and rendering, by which tests detect drift without kubectl.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseAllDocuments } from 'yaml';

const deploy = join(import.meta.dirname, '../deploy');

/** The folders of deploy/ that an operator applies, by the name of their rendering. */
export const renderings = {
  'egress-gateway': 'overlays/egress-gateway',
  sidecar: 'overlays/sidecar',
  'sidecar-plain-certificates': 'overlays/sidecar-plain-certificates',
  'sidecar-full-mode': 'overlays/sidecar-full-mode',
  demo: 'overlays/demo',
  tenant: 'tenant',
  'tenant-plain-certificates': 'tenant-plain-certificates',
} as const;

export type RenderingName = keyof typeof renderings;

export const renderingNames = Object.keys(renderings) as readonly RenderingName[];

/** The folders that Kustomize reads; not the other files in deploy/. */
const sourceFolders = ['base', 'certificates', 'overlays', 'sizing', 'tenant', 'tenant-plain-certificates'];

/** Older versions do not support `labels` with `includeTemplates`. */
const oldestMinor = 27;

export interface Rendering {
  /** As written in the file. */
  readonly hash: string;
  /** The objects in YAML (each as JSON). */
  readonly body: string;
}

/** @throws Error if there is no file or it has no hash */
export function committedRendering(name: RenderingName): Rendering {
  const text = readFileSync(fileOf(name), 'utf8');
  const [, hash, body] = /^# .*\n# sha256 ([0-9a-f]{64})\n([\s\S]*)$/.exec(text) ?? [];
  if (hash === undefined || body === undefined) throw new Error(`${fileOf(name)} has no hash`);
  return { hash, body };
}

/** A hash over all sources and the rendering, so that a change of only one is detected. */
export function renderingHash(body: string): string {
  const hash = createHash('sha256');
  for (const path of sources())
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(deploy, path)))
      .update('\0');
  return hash.update(body).digest('hex');
}

/** @throws Error if kubectl cannot build it */
export function render(name: RenderingName): string {
  return renderFolder(join(deploy, renderings[name]));
}

/** @throws Error if kubectl cannot build it */
export function renderFolder(folder: string): string {
  return execFileSync('kubectl', ['kustomize', folder], { encoding: 'utf8', stdio: 'pipe' });
}

/** Undefined if a kubectl that can render exists; otherwise a text that names the missing program. */
export function whatIsMissing(): string | undefined {
  const wanted = `kubectl 1.${oldestMinor} or later is needed`;
  let reported: string;
  try {
    reported = execFileSync('kubectl', ['version', '--client', '--output=json'], { encoding: 'utf8' });
  } catch {
    return `${wanted}; there is none on the PATH`;
  }
  const minor = minorOf(reported);
  return minor >= oldestMinor ? undefined : `${wanted}; the one on the PATH is 1.${minor}`;
}

/** @param reported output of `kubectl version --client --output=json`; @returns 0 if it cannot be parsed */
export function minorOf(reported: string): number {
  const [, minor] = /"gitVersion": *"v1\.(\d+)/.exec(reported) ?? [];
  return Number(minor ?? 0);
}

/** Writes each object on one line; the order and the text of all values stay. */
function onFewLines(yaml: string): string {
  return parseAllDocuments(yaml)
    .map((document) => `${JSON.stringify(document)}\n`)
    .join('---\n');
}

function fileOf(name: RenderingName): string {
  return join(deploy, 'rendered', `${name}.yaml`);
}

function sources(): string[] {
  return sourceFolders
    .flatMap((folder) => readdirSync(join(deploy, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name.endsWith('.yaml'))
    .map((entry) => relative(deploy, join(entry.parentPath, entry.name)))
    .sort();
}

if (import.meta.main) {
  const missing = whatIsMissing();
  if (missing !== undefined) {
    process.stderr.write(`render: ${missing}\n`);
    process.exit(1);
  }
  mkdirSync(join(deploy, 'rendered'), { recursive: true });
  for (const name of renderingNames) {
    const body = onFewLines(render(name));
    const head = `# Written by scripts/render.ts from deploy/${renderings[name]}; change it there.`;
    writeFileSync(fileOf(name), `${head}\n# sha256 ${renderingHash(body)}\n${body}`);
    console.log(`deploy/rendered/${name}.yaml`);
  }
}
