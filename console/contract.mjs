// Makes console/generated/contract.ts, the types of the JSON API, from control-plane/openapi.json. It is not in git.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const description = join(here, '../control-plane/openapi.json');

/** Writes the types. Only tsc and editors read them: they are erased from the built page. */
export function makeContract() {
  const { paths, components } = JSON.parse(readFileSync(description, 'utf8'));
  const operations = Object.entries(paths).map(([path, { post }]) => {
    const [, service = '', name = ''] = /^\/gateway\.v1\.(\w+)\/(\w+)$/.exec(path) ?? [];
    return { method: `${service}.${name}`, post };
  });
  const methods = operations.map(({ method, post }) => `  '${method}': ${methodType(post)};`);
  const types = Object.entries(components.schemas).map(([name, schema]) => `export type ${name} = ${typeOf(schema)};`);
  mkdirSync(join(here, 'generated'), { recursive: true });
  const head = '// Made by console/contract.mjs from control-plane/openapi.json.\n';
  writeFileSync(
    join(here, 'generated/contract.ts'),
    `${head}export interface Methods {\n${methods.join('\n')}\n}\n\n${types.join('\n')}\n`,
  );
}

function methodType({ requestBody, responses }) {
  const request = typeOf(requestBody.content['application/json'].schema);
  const response = responses['200'].content['application/json'];
  return `{ request: ${request}; response: ${response === undefined ? 'string' : typeOf(response.schema)} }`;
}

function typeOf(schema) {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1);
  if (schema.enum !== undefined) return schema.enum.map((value) => `'${value}'`).join(' | ');
  switch (schema.type) {
    case 'array':
      return `(${typeOf(schema.items)})[]`;
    case 'object':
      return objectType(schema);
    case 'integer':
      return 'number';
    case undefined:
      return 'unknown';
    default:
      return Array.isArray(schema.type)
        ? schema.type.map((type) => (type === 'integer' ? 'number' : type)).join(' | ')
        : schema.type;
  }
}

function objectType({ properties = {}, required = [], additionalProperties }) {
  const fields = Object.entries(properties)
    .filter(([, schema]) => schema !== false)
    .map(([name, schema]) => `${name}${required.includes(name) ? '' : '?'}: ${typeOf(schema)}`);
  if (typeof additionalProperties === 'object') return `{ [name: string]: ${typeOf(additionalProperties)} }`;
  return `{ ${fields.join('; ')} }`;
}
