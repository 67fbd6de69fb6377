// `npm run scim-check`: runs scim2-tester (PyPI) against the SCIM endpoint of a really started control plane. Not part of
// npm test: it needs Python 3.10 or later, and the first run installs the tester into a folder of its own.
//   --folder <folder>  for Python's packages (default: gateway-scim-check in the folder for temporary files)
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { isObject, parseJson } from '../common/json.ts';
import { bootstrap, freely, startOperatorsPlane } from '../test/support/operators.ts';
import { scimTenant } from '../test/support/scim.ts';
import { startProgram } from './scim-check/program.ts';

const tester = ['scim2-tester==0.5.2', 'scim2-client[httpx2]==0.13.2', 'scim2-models==0.12.3'];
const { values } = parseArgs({
  options: { folder: { type: 'string', default: join(tmpdir(), 'gateway-scim-check') } },
});
const python = join(values.folder, 'bin', 'python');

if (!existsSync(join(values.folder, 'installed'))) install();
const results = await check();
for (const { status, title, reason } of results.filter(({ status }) => status !== 'SUCCESS')) {
  console.log(`${status} ${title}: ${reason}`);
}
const counts = Map.groupBy(results, ({ status }) => status);
console.log([...counts].map(([status, all]) => `${status} ${all.length}`).join(', '));
process.exitCode = results.length > 0 && results.every(({ status }) => isAccepted(status)) ? 0 : 1;

interface Result {
  readonly status: string;
  readonly title: string;
  readonly reason: string;
}

/** What a server need not have is skipped. */
function isAccepted(status: string): boolean {
  return ['SUCCESS', 'COMPLIANT', 'SKIPPED', 'ACCEPTABLE'].includes(status);
}

function install(): void {
  run('python3', ['-m', 'venv', values.folder]);
  run(python, ['-m', 'pip', 'install', '--quiet', ...tester]);
  run(python, ['-c', `open(${JSON.stringify(join(values.folder, 'installed'))}, 'w')`]);
}

/** @throws Error if the program fails */
function run(program: string, args: readonly string[]): void {
  const { status, error } = spawnSync(program, args, { stdio: 'inherit' });
  if (status !== 0) throw new Error(`${program} failed; scim-check needs python3 with venv`, { cause: error });
}

async function check(): Promise<readonly Result[]> {
  const plane = await startOperatorsPlane({ rates: freely });
  try {
    const { scim } = await scimTenant(plane, await bootstrap(plane));
    const script = join(import.meta.dirname, 'scim-check', 'run.py');
    const url = `http://127.0.0.1:${plane.plane.httpPort}/scim/v2`;
    const program = startProgram(python, [script, url], scim.token);
    const [printed, status] = await Promise.all([text(program.output), program.ended]);
    if (status !== 0) throw new Error(`scim2-tester ended with ${status}`);
    return printed.split('\n').flatMap((line) => readResult(line));
  } finally {
    await plane.close();
  }
}

function readResult(line: string): readonly Result[] {
  const value = parseJson(line);
  if (!isObject(value)) return [];
  const { status, title, reason } = value;
  return [{ status: String(status), title: String(title), reason: String(reason) }];
}
