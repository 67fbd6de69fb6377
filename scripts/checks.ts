// All checks of the project except its tests: `npm test` runs all of them, `npm run check` the quick ones.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Counts, countReport, type VitestReport } from './test-report.ts';

const root = join(import.meta.dirname, '..');
const node = process.execPath;
const bin = (name: string) => join(root, 'node_modules/.bin', name);

export interface Check {
  readonly name: string;
  readonly command: readonly string[];
  /**
   * The command of `npm run check`, which may reuse results of unchanged files; absent: the check is not part of it.
   */
  readonly inLoop?: readonly string[];
}

const lint = [bin('biome'), 'ci', '--error-on-warnings', '--colors=off', '.'];
const remembered = ['--incremental', '--tsBuildInfoFile', 'node_modules/.cache/tsc/check.tsbuildinfo'];

export const checks: readonly Check[] = [
  { name: 'format and lint', command: lint, inLoop: lint },
  { name: 'types', command: [bin('tsc')], inLoop: [bin('tsc'), ...remembered] },
  {
    name: 'types of the console',
    command: [bin('tsc'), '-p', 'console'],
    inLoop: [
      bin('tsc'),
      '-p',
      'console',
      '--incremental',
      '--tsBuildInfoFile',
      'node_modules/.cache/tsc/console.tsbuildinfo',
    ],
  },
  { name: 'console', command: [node, 'console/build.mjs'], inLoop: [node, 'console/build.mjs'] },
  { name: 'layers', command: [node, 'scripts/layers.ts'], inLoop: [node, 'scripts/layers.ts'] },
  { name: 'contract.json', command: [node, 'scripts/generate.ts', '--check'] },
  { name: 'contract breaks no release', command: [node, 'scripts/compatibility.ts'] },
  { name: 'contract by buf', command: [node, 'scripts/contract.ts'] },
  { name: 'OpenAPI documents', command: [node, 'scripts/openapi.ts', '--check'] },
  { name: 'tables of docs/', command: [node, 'scripts/docs.ts', '--check'] },
  { name: 'dashboards and alerts', command: [node, 'scripts/dashboards.ts', '--check'] },
];

/** Runs a check and prints its result and time, and its output if it failed. */
export async function runCheck(name: string, command: readonly string[]): Promise<Counts> {
  const started = performance.now();
  const { code, output } = await run(command, 'pipe');
  const ok = code === 0;
  console.log(`${ok ? '✓' : '✗'} ${name} (${seconds(started)})`);
  if (!ok) console.log(output.trimEnd());
  return { passed: ok ? 1 : 0, failed: ok ? 0 : 1 };
}

/** @param args of `vitest run`: paths, projects; @param output `failures`: prints nothing about passing tests */
export async function runTests(args: readonly string[], output: 'all' | 'failures'): Promise<Counts> {
  const started = performance.now();
  const directory = mkdtempSync(join(tmpdir(), 'gateway-test-report-'));
  const file = join(directory, 'report.json');
  try {
    const shown = output === 'all' ? ['--reporter=default'] : ['--reporter=dot', '--silent=passed-only'];
    const reporters = [...shown, '--reporter=json', `--outputFile.json=${file}`];
    const { code } = await run([bin('vitest'), 'run', ...reporters, ...args], 'inherit');
    const counts = countReport(readReport(file), code);
    console.log(`${counts.failed === 0 ? '✓' : '✗'} tests (${seconds(started)})`);
    return counts;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Prints the totals as the last line. */
export function conclude(results: readonly Counts[]): void {
  const passed = results.reduce((sum, result) => sum + result.passed, 0);
  const failed = results.reduce((sum, result) => sum + result.failed, 0);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

function readReport(file: string): VitestReport | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as VitestReport;
  } catch {
    return undefined; // vitest ended before it could write one
  }
}

function run(
  [command = '', ...args]: readonly string[],
  output: 'pipe' | 'inherit',
): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      env: cleanEnvironment(),
      stdio: ['ignore', output, output],
    });
    let text = '';
    const collect = (chunk: Buffer) => {
      text += chunk.toString();
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    child.once('error', (error) => resolve({ code: 127, output: error.message }));
    child.once('close', (code) => resolve({ code: code ?? 1, output: text }));
  });
}

/** Runs the tests again after each change, until the developer stops it. @returns the exit code */
export function watchTests(args: readonly string[]): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(bin('vitest'), ['watch', ...args], {
      cwd: root,
      env: cleanEnvironment(),
      stdio: 'inherit',
    });
    process.once('SIGTERM', () => child.kill());
    child.once('close', (code) => resolve(code ?? 1));
  });
}

// Removes variables by which a test could reach a real provider, and settings of a gateway on this machine. Seeds and
// numbers of cases belong to the tests and stay.
function cleanEnvironment(): NodeJS.ProcessEnv {
  const foreign = /^(OPENAI|ANTHROPIC|GEMINI|GOOGLE|AZURE|AWS)_|^GATEWAY_(?!\w+_(SEED|CASES|ROUNDS)$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}

function seconds(started: number): string {
  return `${((performance.now() - started) / 1000).toFixed(1)} s`;
}
