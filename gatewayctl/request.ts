// Builds a request from the command line. The contract's field determines the form of a value. An invalid value is
// refused before anything is sent, and the message names the option.
import { isObject } from '../common/json.ts';
import { enumNames, type FieldType, fieldsOf, isMessage, originalName } from '../proto/json/contract.ts';
import { decodeJson, JsonRequestError } from '../proto/json/decode.ts';
import type { Given, GivenValue, Request } from './command.ts';
import { enumName } from './enum-names.ts';
import { usageMistake } from './failure.ts';
import { pairOf } from './pair.ts';

/** The field at the end of a path such as "scope.id". @throws Error if the contract has no such field */
export function fieldAt(message: string, path: string): FieldType {
  const [first = '', ...rest] = path.split('.');
  const field = fieldsOf(message)[first];
  if (field === undefined) throw new Error(`${message} has no field ${path}`);
  return rest.length === 0 ? field : fieldAt(field.type, rest.join('.'));
}

/** Whether a field accepts several values. */
export function takesSeveral(field: FieldType): boolean {
  return field.rule === 'repeated' || field.keyType !== undefined;
}

/** @throws Failure if the value cannot be parsed */
export function valueFor(given: Given, field: FieldType, value: GivenValue): unknown {
  if (value === true) return isMessage(field.type) ? {} : (given.read?.('') ?? true);
  const texts = typeof value === 'string' ? [value] : value;
  const values = texts.filter((text) => text !== '').map((text) => single(given, field, text));
  if (field.keyType !== undefined) return Object.fromEntries(texts.filter(Boolean).map((text) => entry(given, text)));
  if (field.rule === 'repeated') return values;
  return texts[0] === '' ? '' : values[0];
}

/** @throws Failure if the path is already set */
export function setField(request: Request, path: string, value: unknown): void {
  const [first = '', ...rest] = path.split('.');
  if (rest.length === 0) {
    request[first] = value;
    return;
  }
  const inner = request[first];
  const target: Request = isObject(inner) ? inner : {};
  request[first] = target;
  setField(target, rest.join('.'), value);
}

export function getField(value: object, path: string): unknown {
  let at: unknown = value;
  for (const name of path.split('.')) at = isObject(at) ? at[name] : undefined;
  return at;
}

/**
 * Parses the fields of a request from JSON, in the form of the JSON API.
 * @throws Failure that names the file and every mistake
 */
export function requestFromJson(requestType: string, text: string, file: string): Request {
  return {
    ...decoded(requestType, text, (field) => field, file === '-' ? 'standard input' : `the file ${file}`),
  };
}

/** @throws Failure that names the faulty options */
export function checkRequest(requestType: string, request: Request, givens: readonly Given[]): object {
  return decoded(requestType, JSON.stringify(request), (field) => flagFor(field, givens), 'the request');
}

/**
 * The option for a field of the contract, such as "owner.email" or "allowed_models.globs[2]"; otherwise the field
 * itself.
 */
export function flagFor(field: string, givens: readonly Given[]): string {
  const plain = field.replace(/\[.*$/, '');
  const names = givens.flatMap((given) =>
    [given.field, given.singleField].flatMap((path) =>
      path === undefined ? [] : [[originalName(path), given] as const],
    ),
  );
  const [, given] =
    names.find(([name]) => name === plain) ?? names.find(([name]) => name.startsWith(`${plain}.`)) ?? [];
  return given === undefined ? field : given.flags.replace(/ .*$/, '');
}

function decoded(requestType: string, text: string, nameOf: (field: string) => string, what: string): object {
  try {
    return decodeJson(requestType, text);
  } catch (error) {
    if (!(error instanceof JsonRequestError)) throw error;
    const mistakes = error.violations.map(({ field, description }) => `${nameOf(field)} ${description}`);
    throw usageMistake(mistakes.length > 0 ? mistakes.join('; ') : `${what} ${error.message}`);
  }
}

function single(given: Given, { type }: FieldType, text: string): unknown {
  if (given.read !== undefined) return readWith(given, text);
  if (enumNames(type) !== undefined) return enumName(type, text);
  if (isMessage(type)) return text;
  if (type === 'bool') return text === 'true' ? true : text === 'false' ? false : text;
  if (type === 'uint32' && /^\d{1,10}$/.test(text)) return Number(text);
  if (type === 'double' && Number.isFinite(Number(text))) return Number(text);
  return text;
}

function readWith({ read, flags }: Given, text: string): unknown {
  try {
    return read?.(text);
  } catch (error) {
    throw usageMistake(`${flags.replace(/ .*$/, '')} ${error instanceof Error ? error.message : 'cannot be read'}`);
  }
}

function entry({ flags }: Given, text: string): readonly [string, string] {
  const pair = pairOf(text);
  if (pair === undefined) throw usageMistake(`${flags.replace(/ .*$/, '')} must be name=value, not "${text}"`);
  return pair;
}
