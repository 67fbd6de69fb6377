// Generates proto/generated/contract.json from proto/gateway/v1: the contract as one file that programs load instead of .proto files (a
// bundle has none), which is why it is committed. On one line, because nobody reads it. With --check it writes nothing and fails if the
// committed file differs. The types beside it are made by scripts/types.mjs.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import protobuf from 'protobufjs';

const protoDir = join(import.meta.dirname, '../proto');
const committed = join(protoDir, 'generated/contract.json');

const contract = `${JSON.stringify(loadContract().toJSON())}\n`;
if (!process.argv.includes('--check')) writeFileSync(committed, contract);
else if (contract !== readFileSync(committed, 'utf8')) {
  console.error('proto/generated/contract.json differs from proto/gateway/v1\nRun: npm run generate');
  process.exitCode = 1;
}

function loadContract(): protobuf.Root {
  const root = new protobuf.Root();
  root.resolvePath = (_origin, target) => join(protoDir, target);
  const files = readdirSync(join(protoDir, 'gateway/v1')).sort();
  root.loadSync(
    files.map((name) => `gateway/v1/${name}`),
    { keepCase: false },
  );
  root.resolveAll();
  return root;
}
