// Generates proto/generated/contract.json from proto/gateway/v1: the contract as one file that programs load instead of .proto files (a
// bundle has none), which is why it is committed. On one line, because nobody reads it. With --check it writes nothing and fails if the
// committed file differs. The types beside it are made by scripts/types.mjs.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadContract } from './load-contract.ts';

const committed = join(import.meta.dirname, '../proto/generated/contract.json');

const contract = `${JSON.stringify(loadContract().toJSON())}\n`;
if (!process.argv.includes('--check')) writeFileSync(committed, contract);
else if (contract !== readFileSync(committed, 'utf8')) {
  console.error('proto/generated/contract.json differs from proto/gateway/v1\nRun: npm run generate');
  process.exitCode = 1;
}
