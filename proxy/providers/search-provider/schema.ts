// A caller's JSON Schema in the language that the model reads.
import type { JsonObject } from '../../../common/json.ts';
import type { Traits } from '../../catalog/traits.ts';
import { jsonSchema } from './json-schema.ts';
import { openApiSchema } from './openapi-schema.ts';

/**
 * @param at the schema's place in the body
 * @returns undefined for a schema that says nothing in that language
 * @throws GatewayError invalid_request for a schema whose references grow too large
 */
export function vendorSchema(
  schema: JsonObject,
  at: string,
  { schemaLanguage }: Pick<Traits, 'schemaLanguage'>,
): JsonObject | undefined {
  switch (schemaLanguage) {
    case 'json-schema':
      return jsonSchema(schema);
    case 'openapi':
      return openApiSchema(schema, at);
  }
}
