// Schemas in the vendor's strict mode: every object closes itself and requires all of its properties. The page "Structured
// model outputs" of the vendor has the rules; its users have quoted the texts.
import { isObject, type Json } from '../../checks.ts';
import { badField } from '../refusal.ts';

export interface StrictSchema {
  /** As the vendor names it: `response_format 'city'`, `function 'weather'`. */
  readonly name: string;
  /** The path of the schema in the request. */
  readonly path: string;
  readonly code: 'invalid_json_schema' | 'invalid_function_parameters';
}

/** @throws Refusal 400 */
export function checkStrictSchema(schema: unknown, of: StrictSchema, context: readonly string[] = []): void {
  if (!isObject(schema)) return;
  const fault = objectFault(schema);
  if (fault !== undefined) {
    const message = `Invalid schema for ${of.name}: In context=${tuple(context)}, ${fault}`;
    throw badField(of.path, message, of.code);
  }
  for (const keyword of ['properties', '$defs', 'definitions']) {
    const members = schema[keyword];
    if (!isObject(members)) continue;
    for (const [key, member] of Object.entries(members)) checkStrictSchema(member, of, [...context, keyword, key]);
  }
  checkStrictSchema(schema.items, of, [...context, 'items']);
  if (!Array.isArray(schema.anyOf)) return;
  for (const [index, member] of schema.anyOf.entries()) {
    checkStrictSchema(member, of, [...context, 'anyOf', String(index)]);
  }
}

function objectFault(schema: Json): string | undefined {
  if (![schema.type].flat().includes('object')) return undefined;
  if (schema.additionalProperties !== false) {
    return "'additionalProperties' is required to be supplied and to be false.";
  }
  const keys = isObject(schema.properties) ? Object.keys(schema.properties) : [];
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const rule = "'required' is required to be supplied and to be an array including every key in properties.";
  const missing = keys.find((key) => !required.includes(key));
  if (missing !== undefined) return `${rule} Missing '${missing}'.`;
  const extra = required.find((key) => !keys.includes(String(key)));
  return extra === undefined ? undefined : `${rule} Extra required key '${String(extra)}' supplied.`;
}

/** The vendor writes a path as Python writes a tuple. */
function tuple(path: readonly string[]): string {
  const steps = path.map((step) => `'${step}'`).join(', ');
  return path.length === 1 ? `(${steps},)` : `(${steps})`;
}
