// `npm test`: every check of the project, each named with its result and time, none left out because an earlier one failed. Ends with
// the line `N passed, N failed`. `npm test -- test/unit/common` runs those test files only.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Counts, countReport, type VitestReport } from './test-report.ts';

const root = join(import.meta.dirname, '..');
const node = process.execPath;
const bin = (name: string) => join(root, 'node_modules/.bin', name);

const checks = [
  { name: 'format and lint', command: [bin('biome'), 'ci', '--error-on-warnings', '--colors=off', '.'] },
  { name: 'types', command: [bin('tsc')] },
  { name: 'layers', command: [node, 'scripts/layers.ts'] },
  { name: 'generated types', command: [node, 'scripts/generate.ts', '--check'] },
  { name: 'contract breaks no release', command: [node, 'scripts/compatibility.ts'] },
  { name: 'tables of docs/', command: [node, 'scripts/docs.ts', '--check'] },
  { name: 'dashboards and alerts', command: [node, 'scripts/dashboards.ts', '--check'] },
] as const;

const paths = process.argv.slice(2);
const results: Counts[] = [];
if (paths.length === 0) results.push(...(await Promise.all(checks.map(runCheck))));
results.push(await runTests(paths));

const passed = results.reduce((sum, result) => sum + result.passed, 0);
const failed = results.reduce((sum, result) => sum + result.failed, 0);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

async function runCheck(check: (typeof checks)[number]): Promise<Counts> {
  const started = performance.now();
  const { code, output } = await run(check.command, 'pipe');
  const ok = code === 0;
  console.log(`${ok ? '✓' : '✗'} ${check.name} (${seconds(started)})`);
  if (!ok) console.log(output.trimEnd());
  return { passed: ok ? 1 : 0, failed: ok ? 0 : 1 };
}

async function runTests(files: readonly string[]): Promise<Counts> {
  const started = performance.now();
  const directory = mkdtempSync(join(tmpdir(), 'gateway-test-report-'));
  const file = join(directory, 'report.json');
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
    const { code } = await run([bin('vitest'), 'run', ...reporters, ...files], 'inherit');
    const counts = countReport(readReport(file), code);
    console.log(`${counts.failed === 0 ? '✓' : '✗'} tests (${seconds(started)})`);
    return counts;
  } finally {
    rmSync(directory, { recursive: true });
  }
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

// No test may reach a real provider or be steered by the settings of a gateway on this machine.
function cleanEnvironment(): NodeJS.ProcessEnv {
  const foreign = /^(GATEWAY|OPENAI|ANTHROPIC|GEMINI|GOOGLE|AZURE|AWS)_/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}

function seconds(started: number): string {
  return `${((performance.now() - started) / 1000).toFixed(1)} s`;
}
