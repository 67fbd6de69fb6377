// JSON Schemas of the contract's messages in the two forms of the JSON API: it accepts more (proto/json/decode.ts) than
// it returns (proto/json/encode.ts).
import type protobuf from 'protobufjs';
import { enumNames, enumWord, type FieldType, fieldsOf, isMessage, oneofsOf } from '../../proto/json/contract.ts';

export type Schema = Readonly<Record<string, unknown>>;

/** `accepted` describes requests, `returned` responses. */
export type Form = 'accepted' | 'returned';

export class Schemas {
  /** Every referenced schema, by the name of its component. */
  readonly components = new Map<string, Schema>();
  readonly #contract: protobuf.Root;

  /** @param contract with comments, which become descriptions */
  constructor(contract: protobuf.Root) {
    this.#contract = contract;
  }

  /** A reference to a message, enum or 64-bit integer. Its schema is made at the first reference. */
  reference(type: string, form: Form): Schema {
    const name = componentName(type, form);
    if (!this.components.has(name)) {
      this.components.set(name, {}); // a message that has itself within it ends here
      this.components.set(name, this.#schema(type, form));
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  /** The comment in the .proto file on a type, or on a method or field by its path in the package. */
  comment(path: string): string | undefined {
    const [type = '', member] = path.split('.');
    const found = this.#contract.lookup(`gateway.v1.${type}`);
    if (found === null) throw new Error(`the contract has no ${type}`);
    if (member === undefined) return oneLine(found.comment);
    return oneLine((found as protobuf.NamespaceBase).get(member)?.comment ?? null);
  }

  #schema(type: string, form: Form): Schema {
    if (isMessage(type)) return this.#message(type, form);
    if (enumNames(type) !== undefined) return this.#enumeration(type, form);
    const found = integers[type]?.[form];
    if (found === undefined) throw new Error(`no JSON form for the type ${type}`);
    return found;
  }

  #message(type: string, form: Form): Schema {
    const fields = Object.entries(fieldsOf(type));
    const members = new Set(oneofsOf(type).flat());
    const properties = fields.map(([name, field]) => {
      const description = this.comment(`${type}.${name}`);
      return [name, { ...this.#field(field, form), ...(description && { description }) }];
    });
    const always = fields.filter(([name, field]) => !members.has(name) && hasZeroValue(field)).map(([name]) => name);
    const description = this.comment(type);
    return {
      type: 'object',
      ...(description && { description }),
      ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
      ...(form === 'returned' && always.length > 0 && { required: always }),
      ...(form === 'accepted' && { additionalProperties: false, ...atMostOneOfEach(oneofsOf(type)) }),
    };
  }

  #field(field: FieldType, form: Form): Schema {
    const single = this.#single(field.type, form);
    if (field.keyType !== undefined) return { type: 'object', additionalProperties: single };
    return field.rule === 'repeated' ? { type: 'array', items: single } : single;
  }

  #single(type: string, form: Form): Schema {
    return scalars[type] ?? this.reference(type, form);
  }

  #enumeration(type: string, form: Form): Schema {
    const found = this.#contract.lookupEnum(`gateway.v1.${type}`);
    const names = enumNames(type) ?? [];
    const about = names.flatMap((name) => {
      const comment = oneLine(found.comments[name] ?? null);
      return comment === undefined ? [] : `\`${enumWord(type, name)}\`: ${comment}`;
    });
    const description = [oneLine(found.comment) ?? [], about].flat(2).join('\n');
    const words = names.map((name) => enumWord(type, name));
    const values = form === 'accepted' ? [...words, ...names] : Object.keys(found.values);
    return { type: 'string', enum: values, ...(description !== '' && { description }) };
  }
}

function componentName(type: string, form: Form): string {
  const name = type.slice(0, 1).toUpperCase() + type.slice(1);
  return form === 'returned' || type.endsWith('Request') ? name : `${name}Input`;
}

/** Fields that are written even if they were not set. */
function hasZeroValue({ type, rule, keyType }: FieldType): boolean {
  return rule === 'repeated' || keyType !== undefined || !isMessage(type);
}

function atMostOneOfEach(oneofs: readonly (readonly string[])[]): Schema {
  const choices = oneofs
    .filter((oneof) => oneof.length > 1)
    .map((oneof) => {
      const each = oneof.map((name) => ({ required: [name] }));
      return { oneOf: [...each, { not: { anyOf: each } }] };
    });
  return choices.length > 1 ? { allOf: choices } : { ...choices[0] };
}

/** Scalars without a component of their own. */
const scalars: Readonly<Record<string, Schema>> = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  double: { type: 'number', format: 'double' },
  uint32: { type: 'integer', minimum: 0, maximum: 2 ** 32 - 1 },
};

/**
 * Decimal, from 0 to 2^64 - 1, without leading zeros: alternatives for shorter numbers, for those with a smaller digit
 * at some position, and for the greatest.
 */
const uint64Pattern =
  '^(0|[1-9][0-9]{0,18}|1[0-7][0-9]{18}|18[0-3][0-9]{17}|184[0-3][0-9]{16}|1844[0-5][0-9]{15}|' +
  '18446[0-6][0-9]{14}|184467[0-3][0-9]{13}|1844674[0-3][0-9]{12}|184467440[0-6][0-9]{10}|1844674407[0-2][0-9]{9}|' +
  '18446744073[0-6][0-9]{8}|1844674407370[0-8][0-9]{6}|18446744073709[0-4][0-9]{5}|184467440737095[0-4][0-9]{4}|' +
  '18446744073709550[0-9]{3}|18446744073709551[0-5][0-9]{2}|1844674407370955160[0-9]|1844674407370955161[0-5])$';

/** 64-bit integers, which programs that read JSON numbers as doubles would round. */
const integers: Readonly<Record<string, Readonly<Partial<Record<Form, Schema>>>>> = {
  uint64: {
    // Each keyword applies only to values of its type.
    accepted: {
      type: ['integer', 'string'],
      ...{ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, pattern: uint64Pattern },
      description: 'A whole number from 0 to 2^64 - 1; above 2^53 - 1 as text',
    },
    returned: {
      type: 'string',
      format: 'uint64',
      pattern: '^[0-9]+$',
      description: 'A whole number as text',
    },
  },
  int64: {
    returned: {
      type: 'string',
      format: 'int64',
      pattern: '^-?[0-9]+$',
      description: 'A whole number as text',
    },
  },
};

function oneLine(comment: string | null): string | undefined {
  const text = comment?.replace(/\s+/g, ' ').trim();
  return text === '' ? undefined : text;
}
