// Decodes a request from JSON strictly: proto-loader would turn "false" into true and an unknown enum into 0, and drop
// unknown fields. Types, names, ranges and repetitions are checked against the contract, and every problem is reported.
// In addition to proto3 JSON it accepts enums by their word ("month" for BUDGET_PERIOD_MONTH). scripts/openapi
// describes exactly what it accepts.
import { containsCredential } from '../../common/credential.ts';
import { isObject, parseJson } from '../../common/json.ts';
import type { FieldViolation__Output as Violation } from '../generated/gateway/v1/FieldViolation.ts';
import {
  enumNamed,
  enumNames,
  enumWord,
  type FieldType,
  fieldsOf,
  isMessage,
  oneofsOf,
  originalName,
} from './contract.ts';
import { findFlaw } from './scan.ts';

const uint32Max = 2 ** 32 - 1;
const uint64Max = 2n ** 64n - 1n;
const shownNameLengthMax = 64;

/** The text is no request of its type. */
export class JsonRequestError extends Error {
  /** Empty if the text as a whole is wrong. */
  readonly violations: readonly Violation[];

  constructor(message: string, violations: readonly Violation[] = []) {
    super(message);
    this.name = 'JsonRequestError';
    this.violations = violations;
  }
}

/**
 * @param message name of the request's type, such as "CreatePersonRequest"
 * @returns an object for the contract's serializer: names in lowerCamelCase, absent fields absent
 * @throws JsonRequestError with every problem
 */
export function decodeJson(message: string, text: string): object {
  const flaw = findFlaw(text);
  if (flaw?.kind === 'duplicate') {
    throw new JsonRequestError(`has the name ${shown(flaw.name)} twice in one object`);
  }
  if (flaw?.kind === 'depth') {
    throw new JsonRequestError(`is nested deeper than ${flaw.depthMax} levels`);
  }
  const violations: Violation[] = [];
  const decoded = new Walk(violations).message(message, parse(text), '');
  if (violations.length > 0) throw new JsonRequestError('fields are wrong', violations);
  return decoded;
}

function parse(text: string): unknown {
  const value = parseJson(text);
  if (value === undefined) throw new JsonRequestError('is not JSON');
  return value;
}

/** Continues after a problem; its result is valid only if there was none. */
class Walk {
  readonly #violations: Violation[];

  constructor(violations: Violation[]) {
    this.#violations = violations;
  }

  message(type: string, value: unknown, path: string): object {
    if (!isObject(value)) {
      this.#problem(path === '' ? 'body' : path, 'must be an object');
      return {};
    }
    const fields = fieldsOf(type);
    const names = new Map(
      Object.keys(fields).flatMap((name) => [
        [name, name],
        [originalName(name), name],
      ]),
    );
    const decoded = new Map<string, unknown>();
    for (const [given, item] of Object.entries(value)) {
      const name = names.get(given);
      const field = name === undefined ? undefined : fields[name];
      const at = join(path, name === undefined ? shown(given) : originalName(name));
      if (name === undefined || field === undefined) this.#problem(at, 'is not a field of this request');
      else if (decoded.has(name)) this.#problem(at, 'is given twice, in both spellings');
      else decoded.set(name, this.#field(field, item, at));
    }
    for (const oneof of oneofsOf(type)) {
      const [first, second] = oneof.filter((name) => decoded.has(name)).map(originalName);
      if (second !== undefined) this.#problem(join(path, second), `must not be given beside ${first}`);
    }
    return Object.fromEntries(decoded);
  }

  #field(field: FieldType, value: unknown, path: string): unknown {
    if (field.keyType !== undefined) return this.#map(field, value, path);
    if (field.rule !== 'repeated') return this.#single(field.type, value, path);
    if (!Array.isArray(value)) return this.#problem(path, 'must be an array');
    return value.map((item, index) => this.#single(field.type, item, `${path}[${index}]`));
  }

  #map(field: FieldType, value: unknown, path: string): unknown {
    if (!isObject(value)) return this.#problem(path, 'must be an object');
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => {
        if (!key.isWellFormed()) this.#problem(path, 'must have names in valid Unicode');
        return [key, this.#single(field.type, item, `${path}[${shown(key)}]`)];
      }),
    );
  }

  #single(type: string, value: unknown, path: string): unknown {
    if (value === null) {
      return this.#problem(path, 'must not be null: leave it out, or send "" where that clears it');
    }
    const enumeration = enumNames(type);
    if (enumeration !== undefined) {
      const name = typeof value === 'string' ? enumNamed(type, value) : undefined;
      const words = enumeration.map((one) => enumWord(type, one));
      return name ?? this.#problem(path, `must be one of ${words.join(', ')}`);
    }
    return isMessage(type) ? this.message(type, value, path) : this.#scalar(type, value, path);
  }

  #scalar(type: string, value: unknown, path: string): unknown {
    switch (type) {
      case 'string':
        return typeof value === 'string' && value.isWellFormed()
          ? value
          : this.#problem(path, 'must be a string in valid Unicode');
      case 'bool':
        return typeof value === 'boolean' ? value : this.#problem(path, 'must be true or false');
      case 'uint32':
        return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= uint32Max
          ? value
          : this.#problem(path, `must be a whole number from 0 to ${uint32Max}`);
      case 'uint64':
        return isUint64(value)
          ? String(value)
          : this.#problem(path, `must be a whole number from 0; above ${Number.MAX_SAFE_INTEGER} as a string`);
      case 'double':
        return typeof value === 'number' ? value : this.#problem(path, 'must be a number');
      default:
        throw new Error(`no JSON form for the type ${type} at ${path}`);
    }
  }

  #problem(field: string, description: string): undefined {
    this.#violations.push({ field, description });
  }
}

function isUint64(value: unknown): boolean {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0;
  return typeof value === 'string' && /^(0|[1-9]\d{0,19})$/.test(value) && BigInt(value) <= uint64Max;
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** A name from a request, in a form that is safe in a response. */
function shown(name: string): string {
  if (containsCredential(name)) return '[key]';
  return name.replace(/[^A-Za-z0-9_.-]/g, '?').slice(0, shownNameLengthMax);
}
