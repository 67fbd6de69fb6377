// Generates proto/generated/contract.json from proto/gateway/v1. Programs load this file instead of .proto files, which
// a bundle does not have, so it is committed; it is on one line, because people do not read it. With --check it writes
// nothing and fails if the committed file differs. scripts/types.mjs makes the types.
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
