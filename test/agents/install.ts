// Installs what `npm run agents` starts: the agents from npm, and packages from PyPI for the blocks in Python. Without
// Python these blocks do not run.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { environments, type PythonEnvironment } from './environments.ts';

execFileSync('npm', ['install', '--silent', '--no-package-lock', '--prefix', import.meta.dirname], {
  stdio: 'inherit',
});
try {
  execFileSync('python3', ['--version'], { stdio: 'ignore' });
  for (const environment of Object.values(environments)) install(environment);
} catch {
  console.error('the blocks in Python do not run: their packages cannot be installed');
}

function install({ path, bin, packages }: PythonEnvironment): void {
  const mark = join(path, 'installed');
  const wanted = packages.join('\n');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return;
  execFileSync('python3', ['-m', 'venv', path], { stdio: 'inherit' });
  execFileSync(join(bin, 'pip'), ['install', '--quiet', ...packages], { stdio: 'inherit' });
  writeFileSync(mark, wanted);
}
