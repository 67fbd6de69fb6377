// JSON Schemas that the vendor accepts: all of draft 2020-12 for a tool's input, a part of it for structured output.
import { isObject, type Json } from '../checks.ts';
import { badRequest } from './refusal.ts';

const typeNames = ['object', 'array', 'string', 'integer', 'number', 'boolean', 'null'];

/**
 * Checks the input schema of a tool.
 * @param path as the vendor writes it
 * @throws Refusal
 */
export function checkInputSchema(schema: Json, path: string): void {
  if (['oneOf', 'allOf', 'anyOf'].some((keyword) => keyword in schema)) {
    throw badRequest(`${path}: input_schema does not support oneOf, allOf, or anyOf at the top level`);
  }
  if (isSchema({ ...schema, properties: schema.properties ?? {}, required: schema.required ?? [] })) return;
  throw badRequest(`${path}: ${invalid}`);
}

const invalid =
  'JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12).';

/** Whether the keywords that are checked here have the form that the draft requires. */
function isSchema(schema: unknown): boolean {
  if (typeof schema === 'boolean') return true;
  if (!isObject(schema)) return false;
  return Object.entries(forms).every(([keyword, fits]) => !Object.hasOwn(schema, keyword) || fits(schema[keyword]));
}

const isText = (value: unknown) => typeof value === 'string';
const isNumber = (value: unknown) => typeof value === 'number';
const isCount = (value: unknown) => Number.isInteger(value) && (value as number) >= 0;
const isListOf = (test: (value: unknown) => boolean) => (value: unknown) => Array.isArray(value) && value.every(test);
const isSomeOf = (test: (value: unknown) => boolean) => (value: unknown) =>
  isListOf(test)(value) && (value as readonly unknown[]).length > 0;
const isMapOf = (test: (value: unknown) => boolean) => (value: unknown) =>
  isObject(value) && Object.values(value).every(test);
const isType = (value: unknown) => typeNames.includes(value as string);

const forms: Readonly<Record<string, (value: unknown) => boolean>> = {
  type: (value) => isType(value) || isSomeOf(isType)(value),
  properties: isMapOf(isSchema),
  patternProperties: isMapOf(isSchema),
  $defs: isMapOf(isSchema),
  definitions: isMapOf(isSchema),
  additionalProperties: isSchema,
  items: isSchema,
  not: isSchema,
  anyOf: isSomeOf(isSchema),
  oneOf: isSomeOf(isSchema),
  allOf: isSomeOf(isSchema),
  required: isListOf(isText),
  enum: Array.isArray,
  description: isText,
  title: isText,
  format: isText,
  pattern: isText,
  $ref: isText,
  minimum: isNumber,
  maximum: isNumber,
  // Booleans in draft 4.
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
};

/** Limits for all output schemas of a request together. */
const optionalMax = 24;
const unionsMax = 16;

/**
 * Checks the schemas that the output must follow: that of `output_config.format` and those of strict tools.
 * @param schemas with the path of each as the vendor writes it
 * @throws Refusal
 */
export function checkOutputSchemas(schemas: readonly { readonly schema: Json; readonly at: string }[]): void {
  const counts = { optional: 0, unions: 0 };
  for (const { schema, at } of schemas) {
    if (!isSchema(schema)) throw badRequest(`${at}: ${invalid}`);
    walk(schema, { root: schema, at, counts, within: [] });
  }
  if (counts.optional > optionalMax) {
    throw badRequest(
      `Schemas contains too many optional parameters (${counts.optional}), which would make grammar compilation inefficient. Reduce the number of optional parameters in your tool schemas (limit: ${optionalMax}).`,
    );
  }
  if (counts.unions > unionsMax) {
    throw badRequest(
      `Schemas contains too many parameters with union types (${counts.unions} parameters with type arrays or anyOf). Reduce the number of parameters that use union types (limit: ${unionsMax} parameters with unions).`,
    );
  }
}

interface Walk {
  readonly root: Json;
  readonly at: string;
  readonly counts: { optional: number; unions: number };
  /** The references followed to reach this schema. */
  readonly within: readonly string[];
}

function walk(schema: unknown, at: Walk): void {
  if (!isObject(schema)) throw refused(at, 'Schemas must be objects');
  checkKeywords(schema, at);
  if (Array.isArray(schema.type) || Array.isArray(schema.anyOf)) at.counts.unions += 1;
  if (typeof schema.$ref === 'string') follow(schema.$ref, at);
  for (const branch of [schema.anyOf, schema.allOf].flat().filter((one) => one !== undefined)) {
    walk(branch, at);
  }
  if (schema.items !== undefined) walk(schema.items, at);
  const required = Array.isArray(schema.required) ? schema.required : [];
  for (const [name, property] of Object.entries(isObject(schema.properties) ? schema.properties : {})) {
    if (!required.includes(name)) at.counts.optional += 1;
    walk(property, at);
  }
}

const everywhere = ['type', 'title', 'description', 'default', 'enum', 'const', 'anyOf', 'allOf'];
const references = ['$ref', '$defs', 'definitions', '$schema', '$id'];
const byType: Readonly<Record<string, readonly string[]>> = {
  object: ['properties', 'required', 'additionalProperties'],
  array: ['items', 'minItems'],
  string: ['format', 'pattern'],
};
const formats = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'];

function checkKeywords(schema: Json, at: Walk): void {
  if ('oneOf' in schema) throw refused(at, "Schema type 'oneOf' is not supported");
  if (!['type', 'enum', 'const', 'anyOf', 'allOf', '$ref'].some((keyword) => keyword in schema)) {
    throw refused(at, "Schema must have a 'type', 'enum', 'const', 'anyOf', 'allOf' or '$ref'");
  }
  const types = [schema.type].flat().filter((one) => typeof one === 'string');
  const known = [...everywhere, ...references, ...types.flatMap((one) => byType[one] ?? [])];
  const others = Object.keys(schema).filter((keyword) => !known.includes(keyword));
  if (others.length > 0) {
    throw refused(at, `For '${types.join("', '")}' type, properties ${others.sort().join(', ')} are not supported`);
  }
  if (types.includes('object') && schema.additionalProperties !== false) {
    throw refused(at, "For 'object' type, 'additionalProperties' must be explicitly set to false");
  }
  if (schema.minItems !== undefined && schema.minItems !== 0 && schema.minItems !== 1) {
    throw refused(at, "For 'array' type, 'minItems' values other than 0 or 1 are not supported");
  }
  if (schema.format !== undefined && !formats.includes(schema.format as string)) {
    throw refused(at, `For 'string' type, 'format' value '${String(schema.format)}' is not supported`);
  }
  if (typeof schema.pattern === 'string' && /\(\?|\\[bB1-9]/.test(schema.pattern)) {
    throw refused(at, `For 'string' type, 'pattern' value '${schema.pattern}' is not supported`);
  }
  if ([schema.enum, schema.const].flat().some((value) => typeof value === 'object' && value !== null)) {
    throw refused(at, "'enum' and 'const' values must be primitive");
  }
}

/** A reference must lead into the same schema and must not be recursive. */
function follow(reference: string, at: Walk): void {
  if (!reference.startsWith('#')) throw refused(at, `External reference '${reference}' is not supported`);
  if (at.within.includes(reference)) throw refused(at, `Recursive reference '${reference}' is not supported`);
  const steps = reference.slice(1).split('/').filter(Boolean);
  const target = steps.reduce<unknown>((from, step) => (isObject(from) ? from[step] : undefined), at.root);
  if (target === undefined) throw refused(at, `Reference '${reference}' cannot be resolved`);
  walk(target, { ...at, within: [...at.within, reference] });
}

function refused(at: Walk, message: string) {
  return badRequest(`${at.at}: ${message}`);
}
