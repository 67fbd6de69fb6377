// Responses and tool inputs that follow a JSON Schema: which models support it, and the schemas that they accept.
import { isObject, type Json } from '../checks.ts';
import type { SimulatedModel } from './models.ts';
import { invalid, modelRefuses, unsupportedField } from './refusal.ts';
import { type ConverseRequest, extraFieldsOf, responseSchemaOf } from './request.ts';

export function responseSchemaFits(request: ConverseRequest): void {
  const { outputConfig } = request.body;
  const common = isObject(outputConfig) && outputConfig.textFormat !== undefined;
  const own = extraFieldsOf(request).output_config;
  const wanted = common || (isObject(own) && own.format !== undefined);
  if (!wanted) return;
  if (!request.model.structured) throw unsupportedField('outputConfig.textFormat');
  const schema = responseSchemaOf(request);
  if (!isObject(schema)) {
    throw invalid(
      'The value at outputConfig.textFormat.structure.jsonSchema.schema is not a valid JSON schema. Provide a JSON schema as a string and try again.',
    );
  }
  checkStrictSchema(schema, 'output_config.format.schema', request.model);
}

const bounds: Readonly<Record<string, readonly string[]>> = {
  integer: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  string: ['minLength', 'maxLength'],
  array: ['maxItems', 'uniqueItems'],
};

/** Every object must be closed, and bounds that decoding cannot enforce are refused. */
export function checkStrictSchema(schema: Json, path: string, model: SimulatedModel): void {
  if (model.family !== 'claude') return;
  const type = String(schema.type);
  if (type === 'object' && schema.additionalProperties !== false) {
    throw modelRefuses(`${path}: For 'object' type, 'additionalProperties' must be explicitly set to false`);
  }
  const unkept = (bounds[type] ?? []).filter((key) => schema[key] !== undefined);
  if (unkept.length > 0) {
    throw modelRefuses(`${path}: For '${type}' type, properties ${unkept.join(', ')} are not supported`);
  }
  for (const inner of innerSchemas(schema)) checkStrictSchema(inner, path, model);
}

function innerSchemas(schema: Json): readonly Json[] {
  const maps = [schema.properties, schema.$defs, schema.definitions].filter(isObject).flatMap(Object.values);
  const lists = [schema.anyOf, schema.allOf, schema.oneOf].filter(Array.isArray).flat();
  return [...maps, ...lists, schema.items].filter(isObject);
}
