// The scalar options of a request, read with the ranges that the callers' format gives them (SDK type
// `ChatCompletionCreateParams`). Null is the same as absent.
import { isNumber, isWhole, type JsonNumber } from '../../common/exact-number.ts';
import { isObject, type JsonObject } from '../../common/json.ts';
import { invalid } from './invalid.ts';

export interface NumberRange {
  readonly min: number;
  readonly max: number;
  readonly whole?: boolean;
}

/** @returns the number as it is written. @throws GatewayError invalid_request */
export function readNumber(body: JsonObject, name: string, range: NumberRange): JsonNumber | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  const { min, max, whole = false } = range;
  const fits = isNumber(value) && Number(value) >= min && Number(value) <= max;
  if (fits && (!whole || isWhole(value))) return value;
  const kind = whole ? 'whole number' : 'number';
  throw invalid(name, `${name} must be a ${kind} from ${shown(min)} to ${shown(max)}`);
}

/** With all its digits. */
function shown(bound: number): string {
  return Number.isInteger(bound) ? String(BigInt(bound)) : String(bound);
}

/** @throws GatewayError invalid_request */
export function readFlag(body: JsonObject, name: string): boolean | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'boolean') return value;
  throw invalid(name, `${name} must be true or false`);
}

const tokensMax = 10_000_000;

/** `max_completion_tokens`, else the older `max_tokens`. Both count reasoning. */
export function readMaxTokens(body: JsonObject): JsonNumber | undefined {
  const range = { min: 1, max: tokensMax, whole: true };
  return readNumber(body, 'max_completion_tokens', range) ?? readNumber(body, 'max_tokens', range);
}

/** Empty where there is none. @throws GatewayError invalid_request */
export function readStop(body: JsonObject): readonly string[] {
  const { stop } = body;
  if (stop === undefined || stop === null) return [];
  const list: unknown[] = Array.isArray(stop) ? stop : [stop];
  if (list.every((one) => typeof one === 'string')) return list;
  throw invalid('stop', 'stop must be a string or an array of strings');
}

export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof efforts)[number];

/** @throws GatewayError invalid_request */
export function readEffort(body: JsonObject): Effort | undefined {
  const value = body.reasoning_effort;
  if (value === undefined || value === null) return undefined;
  const effort = efforts.find((one) => one === value);
  if (effort !== undefined) return effort;
  throw invalid('reasoning_effort', `reasoning_effort must be one of ${efforts.join(', ')}`);
}

export type ResponseFormat =
  | { readonly kind: 'text' }
  /** Any JSON object. */
  | { readonly kind: 'json' }
  | {
      readonly kind: 'schema';
      readonly name: string;
      readonly description: string | undefined;
      /** JSON Schema. */
      readonly schema: JsonObject;
      readonly strict: boolean;
    };

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
