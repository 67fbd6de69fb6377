// Reads `response_format` of a request (SDK type `ChatCompletionCreateParams`). Null is the same as absent.
import { isObject, type JsonObject } from '../../../common/json.ts';
import { invalid } from '../../conversation/invalid.ts';
import type { ResponseFormat } from '../../conversation/output-mode.ts';

/** @throws GatewayError invalid_request */
export function readResponseFormat(body: JsonObject): ResponseFormat {
  const format = body.response_format;
  if (format === undefined || format === null) return { kind: 'text' };
  if (!isObject(format)) throw invalid('response_format', 'response_format must be an object');
  switch (format.type) {
    case 'text':
      return { kind: 'text' };
    case 'json_object':
      return { kind: 'json' };
    case 'json_schema':
      return readSchema(format.json_schema);
    default:
      throw invalid('response_format.type', 'response_format.type must be text, json_object or json_schema');
  }
}

function readSchema(value: unknown): ResponseFormat {
  const at = 'response_format.json_schema';
  if (!isObject(value)) throw invalid(at, `${at} must be an object`);
  const { name, description, schema = {}, strict } = value;
  if (typeof name !== 'string' || !/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    throw invalid(`${at}.name`, `${at}.name must be 1 to 64 letters, digits, _ or -`);
  }
  if (!isObject(schema)) throw invalid(`${at}.schema`, `${at}.schema must be an object`);
  return {
    kind: 'schema',
    name,
    description: typeof description === 'string' ? description : undefined,
    schema,
    strict: strict === true,
  };
}
