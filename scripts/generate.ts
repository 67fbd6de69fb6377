// Generates proto/generated/contract.json from proto/gateway/v1, and catalog/shipped.json from catalog/models.json.
// Programs load the contract instead of .proto files, which a bundle does not have, so it is committed; it is on one
// line, because people do not read it. The digest of the catalog would be a sixth of a program's start. With --check it
// writes nothing and fails if a committed file differs. scripts/types.mjs makes the types.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf } from '../catalog/catalog.ts';
import { shippedContent } from '../catalog/in-force.ts';
import { loadContract } from './load-contract.ts';

const generated = [
  { file: 'proto/generated/contract.json', source: 'proto/gateway/v1', content: loadContract().toJSON(), indent: 0 },
  {
    file: 'catalog/shipped.json',
    source: 'catalog/models.json',
    content: { digest: digestOf(shippedContent()) },
    indent: 2,
  },
];

for (const { file, source, content, indent } of generated) {
  const committed = join(import.meta.dirname, '..', file);
  const text = `${JSON.stringify(content, null, indent)}\n`;
  if (!process.argv.includes('--check')) writeFileSync(committed, text);
  else if (text !== readFileSync(committed, 'utf8')) {
    console.error(`${file} differs from ${source}\nRun: npm run generate`);
    process.exitCode = 1;
  }
}
