// Generates proto/generated from proto/gateway/v1: TypeScript types, and the contract as one JSON file that programs
// load instead of .proto files (a bundle has none). With --check it writes nothing and fails if the committed files differ.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import protobuf from 'protobufjs';

const root = join(import.meta.dirname, '..');
const protoDir = join(root, 'proto');
const committed = join(protoDir, 'generated');

const check = process.argv.includes('--check');
const out = check ? mkdtempSync(join(tmpdir(), 'contract-')) : committed;
try {
  generate(out);
  if (check) compare(out, committed);
} finally {
  if (check) rmSync(out, { recursive: true });
}

function generate(dir: string): void {
  if (!check) rmSync(dir, { recursive: true, force: true });
  const files = readdirSync(join(protoDir, 'gateway/v1'))
    .sort()
    .map((name) => `gateway/v1/${name}`);
  execFileSync(
    join(root, 'node_modules/.bin/proto-loader-gen-types'),
    [
      '--longs=String',
      '--enums=String',
      '--defaults',
      '--oneofs',
      '--grpcLib=@grpc/grpc-js',
      '--importFileExtension=.ts',
      `--outDir=${dir}`,
      '--includeDirs=proto',
      '--',
      ...files,
    ],
    { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  // The per-file index of packages is for loading .proto files by path; the contract is loaded as JSON.
  for (const name of readdirSync(dir)) if (name.endsWith('.ts')) rmSync(join(dir, name));
  const contract = new protobuf.Root();
  contract.resolvePath = (_origin, target) => join(protoDir, target);
  contract.loadSync(files, { keepCase: false });
  contract.resolveAll();
  writeFileSync(join(dir, 'contract.json'), `${JSON.stringify(contract.toJSON(), null, 1)}\n`);
}

function compare(fresh: string, old: string): void {
  const list = (dir: string) =>
    readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(dir, join(entry.parentPath, entry.name)))
      .sort();
  const names = new Set([...list(fresh), ...list(old)]);
  const read = (dir: string, name: string) => {
    try {
      return readFileSync(join(dir, name), 'utf8');
    } catch {
      return undefined;
    }
  };
  const drifted = [...names].filter((name) => read(fresh, name) !== read(old, name));
  if (drifted.length === 0) return;
  console.error(
    `proto/generated differs from proto/gateway/v1: ${drifted.join(', ')}\nRun: npm run generate`,
  );
  process.exitCode = 1;
}
