// Writes control-plane/openapi.json, which the control plane serves and from which operators generate clients. It is
// committed, with a line for each schema and operation. With --check it writes nothing and fails if the committed file
// differs.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compactJson } from './compact-json.ts';
import { openapiDocument } from './openapi/document.ts';

const committed = join(import.meta.dirname, '../control-plane/openapi.json');

const text = compactJson(openapiDocument(), 3);
if (!process.argv.includes('--check')) writeFileSync(committed, text);
else if (text !== readFileSync(committed, 'utf8')) {
  console.error('control-plane/openapi.json differs from the contract\nRun: npm run generate');
  process.exitCode = 1;
}
