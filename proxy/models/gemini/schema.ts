// Converts a caller's JSON Schema to the schema language that the model reads.
import type { JsonObject } from '../../../common/json.ts';
import type { ModelCapabilities } from '../../catalog/capabilities.ts';
import type { OutputMode, ResponseFormat } from '../../conversation/output-mode.ts';
import type { ToolDefinition, Tools } from '../../conversation/tools.ts';
import { jsonSchema, movesKeywords } from './json-schema.ts';
import { openApiSchema } from './openapi-schema.ts';

/**
 * @param at path of the schema in the body
 * @returns undefined for a schema that the language cannot express
 * @throws GatewayError invalid_request for a schema whose references grow too large
 */
export function vendorSchema(
  schema: JsonObject,
  at: string,
  { schemaLanguage }: Pick<ModelCapabilities, 'schemaLanguage'>,
): JsonObject | undefined {
  switch (schemaLanguage) {
    case 'json-schema':
      return jsonSchema(schema);
    case 'openapi':
      return openApiSchema(schema, at);
  }
}

/**
 * The fields whose schemas have keywords in a description because the language lacks them. The response's schema may be
 * that of a tool that the gateway added.
 */
export function movedSchemas(
  { tools, form, format }: { readonly tools: Tools; readonly form: OutputMode; readonly format: ResponseFormat },
  { schemaLanguage }: Pick<ModelCapabilities, 'schemaLanguage'>,
): string[] {
  const responseTool = form.kind === 'tool' ? form.tool : undefined;
  const moves = (tool: ToolDefinition) =>
    tool !== responseTool && tool.parameters !== undefined && movesKeywords(tool.parameters, schemaLanguage);
  const isSchema = form.kind === 'native' || form.kind === 'tool';
  const usesFormat = isSchema && format.kind === 'schema' && movesKeywords(format.schema, schemaLanguage);
  return [
    ...(tools.definitions.some(moves) ? ['tools.parameters'] : []),
    ...(usesFormat ? ['response_format.schema'] : []),
  ];
}
