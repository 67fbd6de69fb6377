// Runs buf on the contract with the rules of buf.yaml: `buf lint`, and `buf breaking` against each released contract.
// It complements scripts/compatibility.ts with the tool that client developers use. It needs no network.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Descriptor } from '../proto/compatibility.ts';
import { protoText } from './proto-text.ts';

const root = join(import.meta.dirname, '..');

/** @returns the problems that buf reports, a line each; empty if there are none. @throws Error if buf itself fails */
export function lintContract(): readonly string[] {
  return buf(['lint']);
}

/** @param released in the form of proto/released. @returns as lintContract */
export function breaksOf(released: Descriptor): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'released-contract-'));
  try {
    writeFileSync(join(folder, 'contract.proto'), protoText(released));
    return buf(['breaking', '--against', folder]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The exit code when buf has reported problems. Every other code except 0 means that buf failed. */
const findingsExitCode = 100;

function buf(args: readonly string[]): readonly string[] {
  try {
    // buf needs a cache folder, although there are no modules to fetch; the home folder may be read-only.
    const env = { ...process.env, BUF_CACHE_DIR: join(tmpdir(), 'buf-cache') };
    execFileSync(join(root, 'node_modules/.bin/buf'), args, {
      cwd: root,
      env,
      encoding: 'utf8',
      stdio: 'pipe',
    });
    return [];
  } catch (error) {
    if (!(error instanceof Error && 'status' in error && 'stdout' in error)) throw error;
    if (error.status !== findingsExitCode) throw error;
    return String(error.stdout).trim().split('\n');
  }
}

if (import.meta.main) {
  const folder = join(root, 'proto/released');
  const lines = [
    ...lintContract(),
    ...readdirSync(folder).flatMap((name) =>
      breaksOf(JSON.parse(readFileSync(join(folder, name), 'utf8')) as Descriptor).map(
        (line) => `${line} (since ${name.replace('.json', '')})`,
      ),
    ),
  ];
  if (lines.length > 0) {
    console.error(`buf has found:\n${lines.join('\n')}\nThe rules are in buf.yaml.`);
    process.exitCode = 1;
  }
}
