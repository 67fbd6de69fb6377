// Writes the two OpenAPI documents: control-plane/openapi.json, which the control plane serves and from which operators
// generate clients, and docs/openapi.yaml, the API of the proxy. Both are committed. With --check it writes nothing and
// fails if a committed file differs.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Document, isMap, visit } from 'yaml';
import { compactJson } from './compact-json.ts';
import { openapiDocument } from './openapi/document.ts';
import { proxyDocument } from './openapi/proxy-document.ts';

const shortLength = 80;

const documents = {
  'control-plane/openapi.json': () => compactJson(openapiDocument(), 3),
  'docs/openapi.yaml': () => compactYaml(proxyDocument()),
};

for (const [file, write] of Object.entries(documents)) {
  const committed = join(import.meta.dirname, '..', file);
  const text = write();
  if (!process.argv.includes('--check')) writeFileSync(committed, text);
  else if (text !== readFileSync(committed, 'utf8')) {
    console.error(`${file} differs from the programs\nRun: npm run generate`);
    process.exitCode = 1;
  }
}

/** A map of one short value, as a reference, is on the line of its name. */
function compactYaml(value: object): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Map: (_, map) => {
      const nested = map.items.some(({ value: item }) => isMap(item));
      map.flow = !nested && map.toString().length <= shortLength;
    },
  });
  return document.toString({ lineWidth: 120 });
}
