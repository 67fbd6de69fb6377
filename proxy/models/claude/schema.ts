// JSON Schemas for a Claude model, with any provider: any schema for a tool's input, a subset of JSON Schema for
// enforced output (the vendor's page "Structured outputs"; its SDK's `transformJSONSchema` works alike). Keywords
// outside of the subset move into the description, where the model reads them; for a schema that the subset cannot
// express, `take` returns undefined.
import { plainNumber } from '../../../common/exact-number.ts';
import { isObject, type JsonObject } from '../../../common/json.ts';
import { described, someSchema } from '../../conversation/schema-descriptions.ts';
import { findReferenced } from '../../conversation/schema-references.ts';

/** The `input_schema` of a tool: an object at the root, without alternatives there. */
export function inputSchema(parameters: JsonObject | undefined): JsonObject {
  if (parameters === undefined) return { type: 'object', properties: {} };
  const { description, ...given } = parameters;
  const isAlternative = ([keyword]: [string, unknown]) => alternatives.has(keyword);
  const rest = Object.fromEntries(Object.entries(given).filter((one) => !isAlternative(one)));
  const fullDescription = described(description, Object.fromEntries(Object.entries(given).filter(isAlternative)));
  const properties = rest.properties === undefined && rest.$ref === undefined ? { properties: {} } : {};
  return {
    ...rest,
    type: 'object',
    ...properties,
    ...(fullDescription !== undefined && { description: fullDescription }),
  };
}

const alternatives: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf']);

/** The schemas of one request that the vendor enforces. They share the vendor's limits. */
export class StrictSchemas {
  #optionalLeft = 24;
  #unionsLeft = 16;
  #schemasLeft = 20;

  #hasMoved = false;

  /** @returns the schema in the vendor's subset; undefined if the subset cannot express it, or a limit is reached */
  take(schema: JsonObject): JsonObject | undefined {
    const { optional, unions } = new Costs(schema).of(schema, 0);
    if (optional > this.#optionalLeft || unions > this.#unionsLeft || this.#schemasLeft === 0) return undefined;
    this.#optionalLeft -= optional;
    this.#unionsLeft -= unions;
    this.#schemasLeft -= 1;
    this.#hasMoved ||= movesKeywords(schema);
    return cleaned(schema);
  }

  /** Whether a keyword of the schemas that were taken since the last call moved into a description. */
  takeMoves(): boolean {
    const hasMoved = this.#hasMoved;
    this.#hasMoved = false;
    return hasMoved;
  }
}

/** How much of the limits a schema uses, including all schemas that it refers to. */
interface Cost {
  /** Number of properties that are not required. */
  readonly optional: number;
  /** Number of values with several types. */
  readonly unions: number;
}

/** The cost of a schema that the subset cannot express. */
const impossible: Cost = { optional: Number.POSITIVE_INFINITY, unions: Number.POSITIVE_INFINITY };

const nestingMax = 100;

class Costs {
  readonly #root: JsonObject;
  /** Costs by reference. A reference that is being followed counts as impossible: a schema cannot contain itself. */
  readonly #known = new Map<string, Cost>();

  constructor(root: JsonObject) {
    this.#root = root;
  }

  of(schema: unknown, depth: number): Cost {
    if (!isObject(schema) || depth > nestingMax) return impossible;
    if (typeof schema.$ref === 'string') return this.#ofReference(schema.$ref, depth);
    if (!isExpressible(schema)) return impossible;
    const properties = isObject(schema.properties) ? schema.properties : {};
    const required = new Set<unknown>(Array.isArray(schema.required) ? schema.required : []);
    const optional = Object.keys(properties).filter((name) => !required.has(name)).length;
    const isUnion = Array.isArray(schema.type) || schema.anyOf !== undefined || schema.oneOf !== undefined;
    const items = schema.items === undefined ? [] : [schema.items];
    const inner = [...Object.values(properties), ...items, ...branchesOf(schema)];
    return inner.map((one) => this.of(one, depth + 1)).reduce(sum, { optional, unions: isUnion ? 1 : 0 });
  }

  #ofReference(reference: string, depth: number): Cost {
    const known = this.#known.get(reference);
    if (known !== undefined) return known;
    this.#known.set(reference, impossible);
    const cost = this.of(findReferenced(this.#root, reference), depth + 1);
    this.#known.set(reference, cost);
    return cost;
  }
}

function sum(a: Cost, b: Cost): Cost {
  return { optional: a.optional + b.optional, unions: a.unions + b.unions };
}

function branchesOf({ anyOf, oneOf, allOf }: JsonObject): readonly unknown[] {
  return [anyOf, oneOf, allOf].flatMap((branches) => (Array.isArray(branches) ? branches : []));
}

const kinds = ['type', 'enum', 'const', 'anyOf', 'oneOf', 'allOf'];

/** Whether the subset can express the schema, apart from its inner schemas. */
function isExpressible(schema: JsonObject): boolean {
  const literals = [schema.enum, schema.const].flat();
  const branches = branchesOf(schema);
  return (
    kinds.some((keyword) => schema[keyword] !== undefined) &&
    literals.every((value) => !isObject(value) && !Array.isArray(value)) &&
    // All objects are closed, so several in allOf would exclude each other.
    (!Array.isArray(schema.allOf) || schema.allOf.length === 1) &&
    (branches.length === 0 || schema.properties === undefined) &&
    (branches.length > 0 || !isOpenObject(schema))
  );
}

/** An object that allows unknown property names. */
function isOpenObject({ type, properties, additionalProperties, patternProperties }: JsonObject): boolean {
  if (![type].flat().includes('object')) return false;
  if (patternProperties !== undefined || isObject(additionalProperties)) return true;
  const hasNames = isObject(properties) && Object.keys(properties).length > 0;
  return !hasNames && additionalProperties !== false;
}

function cleaned(schema: JsonObject): JsonObject {
  // The first two constrain nothing; the next two are the targets of references.
  const { $schema: _, $id: __, $defs, definitions, description, title, ...own } = schema;
  const named = {
    ...(isObject($defs) && { $defs: cleanedAll($defs) }),
    ...(isObject(definitions) && { definitions: cleanedAll(definitions) }),
  };
  if (own.$ref !== undefined) return { ...named, $ref: own.$ref };
  const shape = shapeOf(own);
  const fullDescription = described(description, unexpressed(own, shape));
  return {
    ...named,
    ...(title !== undefined && { title }),
    ...(fullDescription !== undefined && { description: fullDescription }),
    ...shape,
  };
}

/** Keywords that are missing in the schema's shape. */
function unexpressed(schema: JsonObject, shape: JsonObject): JsonObject {
  const left = Object.entries(schema).filter(([keyword]) => !(keyword in shape) && !isImplied(keyword, schema));
  return Object.fromEntries(left);
}

/** Whether a keyword of the schema moves into a description with `take`. Inner schemas are visited separately. */
function movesKeywords(schema: JsonObject): boolean {
  return someSchema(schema, ({ $schema: _, $id: __, $defs, definitions, description, title, ...own }) => {
    if (own.$ref !== undefined) return false;
    return (
      Object.keys(
        unexpressed(
          own,
          shapeOf(own, (inner) => inner),
        ),
      ).length > 0
    );
  });
}

/** @param clean applied to inner schemas */
function shapeOf(schema: JsonObject, clean: Clean = cleanedOne): JsonObject {
  if (schema.enum !== undefined || schema.const !== undefined) {
    return {
      ...(schema.enum !== undefined && { enum: schema.enum }),
      ...(schema.const !== undefined && { const: schema.const }),
    };
  }
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(alternatives)) return { anyOf: alternatives.map(clean) };
  if (Array.isArray(schema.allOf)) return { allOf: schema.allOf.map(clean) };
  const types: readonly unknown[] = [schema.type].flat();
  return Object.assign({ type: schema.type }, ...types.map((type) => ofType[String(type)]?.(schema, clean)));
}

type Clean = (schema: unknown) => unknown;

/** The keywords of each type. */
const ofType: Readonly<Record<string, (schema: JsonObject, clean: Clean) => JsonObject>> = {
  object: ({ properties, required }, clean) => ({
    properties: isObject(properties) ? cleanedAll(properties, clean) : {},
    ...(Array.isArray(required) && { required }),
    additionalProperties: false,
  }),
  array: ({ items, minItems }, clean) => ({
    ...(items !== undefined && { items: clean(items) }),
    ...([0, 1].includes(plainNumber(minItems) ?? -1) && { minItems }),
  }),
  string: ({ format }) => (formats.has(format) ? { format } : {}),
};

const formats: ReadonlySet<unknown> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
]);

function isImplied(keyword: string, schema: JsonObject): boolean {
  if (keyword === 'oneOf') return schema.anyOf === undefined;
  // Comments are not for the model.
  return keyword === 'type' || keyword === 'additionalProperties' || keyword === '$comment';
}

function cleanedOne(schema: unknown): unknown {
  return isObject(schema) ? cleaned(schema) : schema;
}

function cleanedAll(schemas: JsonObject, clean: Clean = cleanedOne): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, one]) => [name, clean(one)]));
}
