// Applies a PATCH (RFC 7644, section 3.5.2) to the attributes of a resource, in the forms that Entra and Okta send. Pure.
import { isObject, type JsonObject, objectsOf } from '../../common/json.ts';
import { invalidValue, ScimError } from './error.ts';
import { type Equality, type Path, readPath } from './path.ts';
import { complete, readElement, readValue, valuesMax, withOnePrimary } from './resource.ts';
import type { ResourceSchema } from './schema.ts';

const message = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const operationsMax = 1000;

type Operation = 'add' | 'replace' | 'remove';

/** @returns the attributes after all operations @throws ScimError; then none counts */
export function patched(schema: ResourceSchema, before: JsonObject, body: unknown): JsonObject {
  if (!isObject(body) || !Array.isArray(body.schemas) || !body.schemas.includes(message)) {
    throw new ScimError(400, `schemas must contain ${message}`, 'invalidSyntax');
  }
  const operations = body.Operations ?? body.operations;
  if (!Array.isArray(operations) || operations.length === 0 || operations.length > operationsMax) {
    throw new ScimError(400, `Operations must be a list of 1 to ${operationsMax}`, 'invalidSyntax');
  }
  const resource = structuredClone(before);
  for (const operation of operations) apply(schema, resource, operation);
  return complete(schema, resource);
}

function apply(schema: ResourceSchema, resource: JsonObject, operation: unknown): void {
  if (!isObject(operation)) throw new ScimError(400, 'an operation must be an object', 'invalidSyntax');
  const { path, value } = operation;
  const op = readOperation(operation.op);
  if (typeof path === 'string' && path !== '') {
    applyAt(resource, op, readPath(schema, path), value);
    return;
  }
  if (op === 'remove') throw new ScimError(400, 'remove needs a path', 'noTarget');
  if (!isObject(value)) throw invalidValue('without a path, value must be an object');
  for (const [name, part] of Object.entries(value)) {
    if (['schemas', 'id', 'meta'].includes(name)) continue;
    applyAt(resource, op, readPath(schema, name), part);
  }
}

/** Entra sends "Add". */
function readOperation(op: unknown): Operation {
  const lower = typeof op === 'string' ? op.toLowerCase() : undefined;
  if (lower === 'add' || lower === 'replace' || lower === 'remove') return lower;
  throw new ScimError(400, 'op must be add, replace or remove', 'invalidSyntax');
}

function applyAt(resource: JsonObject, op: Operation, path: Path | undefined, value: unknown): void {
  if (path === undefined) return;
  const { attribute, sub } = path;
  if (sub?.readOnly) throw new ScimError(400, `${sub.name} is set by the gateway`, 'mutability');
  const after = attribute.multiValued ? listAfter(resource, op, path, value) : oneAfter(resource, op, path, value);
  if (after === undefined) delete resource[attribute.name];
  else resource[attribute.name] = after;
}

function oneAfter(resource: JsonObject, op: Operation, { attribute, sub }: Path, value: unknown): unknown {
  const before = resource[attribute.name];
  if (sub !== undefined) {
    const parts = isObject(before) ? { ...before } : {};
    return withPart(parts, sub.name, op === 'remove' ? undefined : readValue(sub, value));
  }
  if (op === 'remove') return undefined;
  const read = readValue(attribute, value);
  // The parts that are not named stay.
  return attribute.type === 'complex' && isObject(read) && isObject(before) ? { ...before, ...read } : read;
}

function withPart(parts: JsonObject, name: string, value: unknown): JsonObject | undefined {
  const { [name]: _former, ...rest } = parts;
  const after = value === undefined ? rest : { ...rest, [name]: value };
  return Object.keys(after).length === 0 ? undefined : after;
}

function listAfter(resource: JsonObject, op: Operation, path: Path, value: unknown): unknown {
  const before = objectsOf(resource[path.attribute.name]);
  const after = op === 'remove' ? removed(before, path, value) : written(before, op, path, value);
  if (after.length > valuesMax) throw invalidValue(`${path.attribute.name} has more than ${valuesMax} values`);
  return after.length === 0 ? undefined : after;
}

/** With a list of values, only these are removed: so Entra removes members. */
function removed(
  before: readonly JsonObject[],
  { attribute, where, sub }: Path,
  value: unknown,
): readonly JsonObject[] {
  if (sub !== undefined) {
    return before.map((one) => (fits(one, where) ? withPart(one, sub.name, undefined) : one)).filter(isObject);
  }
  if (where !== undefined) return before.filter((one) => !fits(one, where));
  const listed = value === undefined || value === null ? undefined : objectsOf(readValue(attribute, value));
  const values = listed && new Set(listed.map((one) => one.value));
  return values === undefined ? [] : before.filter((one) => !values.has(one.value));
}

function written(
  before: readonly JsonObject[],
  op: 'add' | 'replace',
  path: Path,
  value: unknown,
): readonly JsonObject[] {
  const { attribute, where, sub } = path;
  if (where === undefined && sub === undefined) {
    const read = objectsOf(readValue(attribute, value));
    return op === 'replace' ? read : added(before, read);
  }
  const part = sub === undefined ? readElement(attribute, value) : { [sub.name]: readValue(sub, value) };
  if (part === undefined) throw invalidValue(`${attribute.name} needs a value`);
  const changed = before.map((one) => (fits(one, where) ? { ...one, ...part } : one));
  if (before.some((one) => fits(one, where))) return withLatestPrimary(before, changed);
  if (where === undefined) throw new ScimError(400, `${attribute.name} has no value that could change`, 'noTarget');
  // Entra replaces an address that does not exist yet.
  return added(before, [{ [where.attribute.name]: where.value, ...part }]);
}

function added(before: readonly JsonObject[], more: readonly JsonObject[]): readonly JsonObject[] {
  const byValue = new Map(before.map((one) => [one.value, one]));
  for (const one of more) byValue.set(one.value, { ...byValue.get(one.value), ...one });
  return withLatestPrimary(before, [...byValue.values()]);
}

/** A value that has just become primary is the only one. */
function withLatestPrimary(before: readonly JsonObject[], after: readonly JsonObject[]): readonly JsonObject[] {
  const latest = after.find((one) => one.primary === true && !before.some((old) => isSamePrimary(old, one)));
  if (latest === undefined) return withOnePrimary(after);
  return after.map((one) => (one !== latest && one.primary === true ? { ...one, primary: false } : one));
}

function isSamePrimary(one: JsonObject, other: JsonObject): boolean {
  return one.primary === true && one.value === other.value;
}

function fits(one: JsonObject, where: Equality | undefined): boolean {
  if (where === undefined) return true;
  const value = one[where.attribute.name];
  if (typeof value !== 'string' || typeof where.value !== 'string' || where.attribute.caseExact) {
    return value === where.value;
  }
  return value.toLowerCase() === where.value.toLowerCase();
}
