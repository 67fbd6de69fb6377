// Removes references from JSON Schemas, for models that read none: each `$ref` inside a schema is replaced by its
// target. Callers write schemas, and references multiply their targets, so the result is bounded.
import { isObject, type JsonObject } from '../../common/json.ts';
import { invalid } from './invalid.ts';

const nodesMax = 10_000;
const depthMax = 100;

/**
 * @param at the schema's location in the body
 * @returns a copy without `$ref`, `$defs` and `definitions`; a definition that contains itself allows any object there
 * @throws GatewayError invalid_request for a schema that grows too large
 */
export function withoutReferences(schema: JsonObject, at: string): JsonObject {
  return new Resolver(schema, at).copy(schema);
}

/** Keywords whose members are schemas under names that the caller chose. */
const maps: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'dependentSchemas']);
/** Keywords that contain data. */
const data: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'example', 'examples', 'required']);
const dropped: ReadonlySet<string> = new Set(['$ref', '$defs', 'definitions']);

class Resolver {
  readonly #root: JsonObject;
  readonly #at: string;
  /** References that are being replaced, outermost first. */
  readonly #open: string[] = [];
  #nodes = 0;
  #depth = 0;

  constructor(root: JsonObject, at: string) {
    this.#root = root;
    this.#at = at;
  }

  copy(schema: JsonObject): JsonObject {
    this.#nodes++;
    this.#depth++;
    if (this.#nodes > nodesMax || this.#depth > depthMax) {
      throw invalid(this.#at, `${this.#at} grows too large when its references are resolved`);
    }
    const own = Object.entries(schema).filter(([key]) => !dropped.has(key));
    const copied = Object.fromEntries(own.map(([key, value]) => [key, this.#member(key, value)]));
    const result = typeof schema.$ref === 'string' ? { ...this.#target(schema.$ref), ...copied } : copied;
    this.#depth--;
    return result;
  }

  #member(key: string, value: unknown): unknown {
    if (data.has(key)) return value;
    if (Array.isArray(value)) return value.map((one: unknown) => (isObject(one) ? this.copy(one) : one));
    if (!isObject(value)) return value;
    if (!maps.has(key)) return this.copy(value);
    const entries = Object.entries(value).map(([name, one]) => [name, isObject(one) ? this.copy(one) : one]);
    return Object.fromEntries(entries);
  }

  #target(reference: string): JsonObject {
    if (this.#open.includes(reference)) return { type: 'object' };
    const target = findReferenced(this.#root, reference);
    // Targets outside the schema are not fetched: such a reference allows anything.
    if (target === undefined) return {};
    this.#open.push(reference);
    const copied = this.copy(target);
    this.#open.pop();
    return copied;
  }
}

/** The target of a reference, by JSON Pointer: `#/$defs/name`. Undefined outside the schema. */
export function findReferenced(root: JsonObject, reference: string): JsonObject | undefined {
  if (!reference.startsWith('#')) return undefined;
  let found: unknown = root;
  for (const step of reference.slice(1).split('/').slice(1)) {
    const key = decoded(step).replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isObject(found) || !Object.hasOwn(found, key)) return undefined;
    found = found[key];
  }
  return isObject(found) ? found : undefined;
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
