// The errors of a JSON field in the texts of the vendor's transcoder.
import type { FieldFault } from '../checks.ts';
import { invalidArgument, type Refusal } from './refusal.ts';

/** @param version of the API, which is part of the names of its types */
export function refusalOf({ path, fault, value }: FieldFault, version: string): Refusal {
  if (fault.kind === 'unknown') return unknownName(String(value), path, 'Cannot find field.');
  if (path === '') return unknownName('', '', 'Root element must be a message.');
  const expected = fault.kind === 'type' ? fault.expected : 'TYPE_MESSAGE';
  if (Array.isArray(value)) return notThis(path, 'Proto field is not repeating, cannot start list.');
  const isScalar = expected.startsWith('TYPE_');
  if (typeof value === 'object' && value !== null && isScalar) {
    return notThis(path, 'Starting an object on a scalar field.');
  }
  if (expected === 'TYPE_BYTES') {
    return invalidValue(path, expected, `Base64 decoding failed for ${JSON.stringify(value)}`);
  }
  return invalidValue(path, isScalar ? expected : typeUrl(expected, version), JSON.stringify(value));
}

/** @param path of the message without such a field; empty for the whole body */
export function unknownName(name: string, path: string, why: string): Refusal {
  const at = path === '' ? '' : ` at '${path}'`;
  return invalidArgument(`Invalid JSON payload received. Unknown name "${name}"${at}: ${why}`, path);
}

/** The transcoder reports a list or object of the wrong type as an unknown name. */
function notThis(path: string, why: string): Refusal {
  const dot = path.lastIndexOf('.');
  return unknownName(path.slice(dot + 1), path.slice(0, Math.max(dot, 0)), why);
}

function invalidValue(path: string, type: string, what: string): Refusal {
  return invalidArgument(`Invalid value at '${path}' (${type}), ${what}`, path);
}

function typeUrl(type: string, version: string): string {
  const name = type.startsWith('google.') ? type : `google.ai.generativelanguage.${version}.${type}`;
  return `type.googleapis.com/${name}`;
}
