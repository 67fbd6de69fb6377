// Runs the stages of deploy/Dockerfile that make the content of images, as an engine would, except for the base image:
// only files that pass .dockerignore are there, and commands run with the paths and the user of the file.
import { execFileSync, type StdioOptions } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isolation } from './container.ts';
import { readDockerfile, type Stage } from './dockerfile.ts';
import { projectRoot } from './process.ts';

/** Files of the checkout that an engine gets, relative to it. */
export function buildContext(): readonly string[] {
  const files = globSync('**/*', {
    cwd: projectRoot,
    withFileTypes: true,
    exclude: (entry) => ['node_modules', '.git', 'dist', 'data'].includes(entry.name),
  });
  const hidden = ['.npmrc', '.gitignore', '.env'].filter((file) => existsSync(join(projectRoot, file)));
  const relative = files
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(projectRoot.length));
  return [...relative, ...hidden].filter((file) => isInContext(file));
}

/** By the rule of .dockerignore: the last line that matches the file or a folder above it decides. */
export function isInContext(file: string): boolean {
  const lines = readFileSync(join(projectRoot, '.dockerignore'), 'utf8').split('\n');
  let included = true;
  for (const line of lines.filter((one) => one !== '' && !one.startsWith('#'))) {
    if (names(line.replace(/^!/, ''), file)) included = line.startsWith('!');
  }
  return included;
}

/** As the engine reads it: `*` also matches names with a leading dot. */
function names(pattern: string, file: string): boolean {
  const within = (text: string) => text.split('*').map(RegExp.escape).join('[^/]*');
  const expression = pattern.split('**/').map(within).join('(?:.*/)?');
  return new RegExp(`^${expression}(?:/|$)`).test(file);
}

/** Runs the stage `console` in a folder with only the files that it copies; its packages are the installed ones. */
function runConsoleStage(folder: string): void {
  const source = 'console/';
  for (const file of buildContext().filter((one) => one.startsWith(source))) {
    cpSync(join(projectRoot, file), join(folder, file.slice(source.length)));
  }
  symlinkSync(join(projectRoot, 'console/node_modules'), join(folder, 'node_modules'));
  const [, build] = stageOf('console').instructions.filter(({ keyword }) => keyword === 'RUN');
  execFileSync(process.execPath, build?.words.slice(1) ?? [], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
}

/**
 * Runs the stage `console`, in a folder beside, and then the stage `build` in a folder with only the files that it
 * copies; its packages are the installed ones.
 */
export function runBuildStage(folder: string): void {
  runConsoleStage(join(folder, '../console'));
  const context = buildContext();
  const { instructions } = stageOf('build');
  for (const { words, flags } of instructions.filter(({ keyword }) => keyword === 'COPY')) {
    for (const source of words.slice(0, -1)) {
      if (flags.from !== undefined)
        cpSync(join(folder, '..', source), join(folder, words.at(-1) ?? ''), { recursive: true });
      const files = context.filter((file) => file === source || file.startsWith(source));
      for (const file of files) cpSync(join(projectRoot, file), join(folder, file), { recursive: true });
    }
  }
  symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'));
  const [install, build] = instructions.filter(({ keyword }) => keyword === 'RUN');
  if (install?.words[0] !== 'npm' || build === undefined) throw new Error('the stage build installs and builds');
  const [, ...args] = build.words;
  execFileSync(process.execPath, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Runs the stage `compile`. @param build the folder of runBuildStage. @param app becomes /app */
export function runCompileStage(build: string, app: string): void {
  mkdirSync(app, { recursive: true, mode: 0o755 });
  let user = '0:0';
  for (const { keyword, words, text } of stageOf('compile').instructions) {
    if (keyword === 'USER') user = words[0] ?? '';
    if (keyword === 'RUN') runShell(text, { user, folders: { '/build': build, '/app': app } });
  }
}

function stageOf(name: string): Stage {
  const stage = readDockerfile().find((one) => one.name === name);
  if (stage === undefined) throw new Error(`deploy/Dockerfile has no stage ${name}`);
  return stage;
}

interface Shell {
  readonly user: string;
  readonly folders: Readonly<Record<string, string>>;
}

function runShell(text: string, { user, folders }: Shell): void {
  const stdio: StdioOptions = ['ignore', 'ignore', 'pipe'];
  if (isolation === 'a container') {
    const [uid, gid] = user.split(':');
    const root = mkdtempSync(join(tmpdir(), 'gateway-build-root-'));
    const as = ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', 'sh', '-c', text];
    const script = [...layOut(root, folders), `exec chroot ${root} "$@"`].join('\n');
    // chroot is root's, and not on every user's PATH.
    const env = { PATH: `/node:${process.env.PATH}:/usr/sbin:/sbin` };
    execFileSync('unshare', ['-m', 'sh', '-c', script, 'sh', ...as], { stdio, env });
    rmSync(root, { recursive: true });
  } else {
    const entries = Object.entries(folders);
    const moved = entries.reduce((line, [to, from]) => line.replaceAll(to, from), text);
    const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}` };
    execFileSync('sh', ['-c', moved.replaceAll(/chown \S+ \S+/g, 'true')], { stdio, env });
  }
}

/** This machine's programs, with the folders at their paths and this Node at /node. */
function layOut(root: string, folders: Readonly<Record<string, string>>): readonly string[] {
  const own = ['bin', 'dev', 'etc', 'lib', 'lib64', 'proc', 'sbin', 'usr'].filter((name) => existsSync(`/${name}`));
  const bind = (from: string, to: string) => `mkdir -p ${root}${to}; mount --rbind '${from}' ${root}${to}`;
  return [
    'set -e',
    `mount -t tmpfs root ${root}`,
    ...own.map((name) =>
      lstatSync(`/${name}`).isSymbolicLink()
        ? `ln -s ${readlinkSync(`/${name}`)} ${root}/${name}`
        : bind(`/${name}`, `/${name}`),
    ),
    ...Object.entries(folders).map(([to, from]) => bind(from, to)),
    bind(dirname(process.execPath), '/node'),
  ];
}
