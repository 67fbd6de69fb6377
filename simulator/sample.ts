// The smallest JSON value that a JSON Schema allows, for structured responses and tool arguments. It supports the
// keywords of the vendor's strict mode: objects, arrays, enums, const, anyOf, $ref within the schema.
import { isObject, type Json } from './checks.ts';

const depthMax = 32;

export function sampleOf(schema: unknown, root: unknown = schema, depth = 0): unknown {
  if (!isObject(schema) || depth > depthMax) return null;
  if (typeof schema.$ref === 'string') return sampleOf(resolve(schema.$ref, root), root, depth + 1);
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(alternatives)) return sampleOf(shallowest(alternatives), root, depth + 1);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case 'string':
      return typeof schema.minLength === 'number' ? 'simulated'.padEnd(schema.minLength, '.') : 'simulated';
    case 'integer':
    case 'number':
      return leastNumber(schema);
    case 'boolean':
      return true;
    case 'array': {
      const length = typeof schema.minItems === 'number' ? schema.minItems : 0;
      return Array.from({ length }, () => sampleOf(schema.items, root, depth + 1));
    }
    case 'null':
      return null;
    default:
      return sampleObject(schema, root, depth);
  }
}

function sampleObject(schema: Json, root: unknown, depth: number): Json {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  return Object.fromEntries(required.map((key) => [key, sampleOf(properties[key], root, depth + 1)]));
}

function leastNumber(schema: Json): number {
  if (typeof schema.minimum === 'number') return schema.minimum;
  if (typeof schema.exclusiveMinimum === 'number') return schema.exclusiveMinimum + 1;
  return typeof schema.maximum === 'number' ? Math.min(0, schema.maximum) : 0;
}

/** Picks an alternative that ends: a recursive schema offers null or a scalar beside the recursion. */
function shallowest(alternatives: readonly unknown[]): unknown {
  return (
    alternatives.find((one) => isObject(one) && one.$ref === undefined && one.type !== 'object') ?? alternatives[0]
  );
}

function resolve(reference: string, root: unknown): unknown {
  const steps = reference.replace(/^#\/?/, '').split('/').filter(Boolean);
  return steps.reduce<unknown>((at, step) => (isObject(at) ? at[step] : undefined), root);
}
