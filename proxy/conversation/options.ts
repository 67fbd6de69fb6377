// The scalar options of a request, read with the ranges of the callers' format (SDK type `ChatCompletionCreateParams`).
// Null is the same as absent.
import { isNumber, isWhole, type JsonNumber } from '../../common/exact-number.ts';
import type { FieldName, Options } from './fields.ts';
import { invalid } from './invalid.ts';

/** Null means the same as an absent field. */
export function isGiven<T>(value: T | undefined | null): value is T {
  return value !== undefined && value !== null;
}

export interface NumberRange {
  readonly min: number;
  readonly max: number;
  readonly whole?: boolean;
}

/** @returns the number as the request wrote it. @throws GatewayError invalid_request */
export function readNumber<Name extends FieldName>(
  options: Options<Name>,
  name: Name,
  range: NumberRange,
): JsonNumber | undefined {
  const value: unknown = options[name];
  if (value === undefined || value === null) return undefined;
  const { min, max, whole = false } = range;
  const fits = isNumber(value) && Number(value) >= min && Number(value) <= max;
  if (fits && (!whole || isWhole(value))) return value;
  const kind = whole ? 'whole number' : 'number';
  throw invalid(name, `${name} must be a ${kind} from ${shown(min)} to ${shown(max)}`);
}

/** The bound with all its digits. */
function shown(bound: number): string {
  return Number.isInteger(bound) ? String(BigInt(bound)) : String(bound);
}

/** @throws GatewayError invalid_request */
export function readFlag<Name extends FieldName>(options: Options<Name>, name: Name): boolean | undefined {
  const value: unknown = options[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'boolean') return value;
  throw invalid(name, `${name} must be true or false`);
}

const tokensMax = 10_000_000;

/** `max_completion_tokens`, else the older `max_tokens`. Both count reasoning. */
export function readMaxTokens(options: Options<'max_completion_tokens' | 'max_tokens'>): JsonNumber | undefined {
  const range = { min: 1, max: tokensMax, whole: true };
  return readNumber(options, 'max_completion_tokens', range) ?? readNumber(options, 'max_tokens', range);
}

/** Empty if there is none. @throws GatewayError invalid_request */
export function readStop({ stop }: Options<'stop'>): readonly string[] {
  if (stop === undefined || stop === null) return [];
  const list: unknown[] = Array.isArray(stop) ? stop : [stop];
  if (list.every((one) => typeof one === 'string')) return list;
  throw invalid('stop', 'stop must be a string or an array of strings');
}

export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof efforts)[number];

/** A budget of reasoning as an effort, for vendors that know efforts only. @param tokens the budget */
export function effortOfBudget(tokens: number): Effort {
  if (tokens === 0) return 'none';
  if (tokens <= 4096) return 'low';
  return tokens <= 16_384 ? 'medium' : 'high';
}

/** @throws GatewayError invalid_request */
export function readEffort({ reasoning_effort: value }: Options<'reasoning_effort'>): Effort | undefined {
  if (value === undefined || value === null) return undefined;
  const effort = efforts.find((one) => one === value);
  if (effort !== undefined) return effort;
  throw invalid('reasoning_effort', `reasoning_effort must be one of ${efforts.join(', ')}`);
}
