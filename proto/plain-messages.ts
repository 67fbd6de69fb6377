// Messages of the contract read and written by their descriptors, without compiling a type first: for a program of few
// messages, which is over before compiled code would pay. Bytes and objects are those of definitions.ts; a test compares
// both for every method.
import { isObject } from '../common/json.ts';
import { descriptorOf, type FieldDescriptor, type WireMessage, type WireMethod, wireMethod } from './wire-method.ts';

/** As `methodDefinition` of definitions.ts. @throws Error if the contract has no such method */
export function plainMethod<Response>(service: string, name: string): WireMethod<unknown, object, unknown, Response> {
  return wireMethod<Response>([service, name], plainMessage);
}

/** @throws Error, when it is first used, if the contract has no such message */
export function plainMessage<Input, Output>(type: string): WireMessage<Input, Output> {
  return {
    serialize: (message) => Buffer.concat(encode(type, isObject(message) ? message : {})),
    deserialize: (bytes) => decode(type, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)) as Output,
  };
}

type WireType = 0 | 1 | 2 | 5;

interface NamedField extends FieldDescriptor {
  readonly name: string;
  /** Its oneof, which has no default. */
  readonly oneof: string | undefined;
}

interface MessageFields {
  /** In the order of their numbers. */
  readonly ordered: readonly NamedField[];
  readonly byId: ReadonlyMap<number, NamedField>;
}

const known = new Map<string, MessageFields>();

function fieldsOf(type: string): MessageFields {
  const before = known.get(type);
  if (before !== undefined) return before;
  const { fields, oneofs = {} } = descriptorOf(type) ?? {};
  if (fields === undefined) throw new Error(`the contract has no message ${type}`);
  const oneofOf = new Map(Object.entries(oneofs).flatMap(([name, { oneof }]) => oneof.map((field) => [field, name])));
  const ordered = Object.entries(fields)
    .map(([name, field]) => ({ ...field, name, oneof: oneofOf.get(name) }))
    .toSorted((a, b) => a.id - b.id);
  const made = { ordered, byId: new Map(ordered.map((field) => [field.id, field])) };
  known.set(type, made);
  return made;
}

function isMessage(type: string): boolean {
  return descriptorOf(type)?.fields !== undefined;
}

function wireTypeOf(type: string): WireType {
  if (type === 'double') return 1;
  return type === 'string' || type === 'bytes' || isMessage(type) ? 2 : 0;
}

/** @returns the message's bytes, in pieces. @throws Error for a value of another type */
function encode(type: string, message: Readonly<Record<string, unknown>>): Buffer[] {
  return fieldsOf(type).ordered.flatMap((field) => {
    const value = Object.hasOwn(message, field.name) ? message[field.name] : undefined;
    return value === undefined || value === null ? [] : encodeField(field, value);
  });
}

function encodeField(field: NamedField, value: unknown): Buffer[] {
  const { id, type, rule, keyType, name } = field;
  if (keyType !== undefined) {
    if (!isObject(value)) throw new Error(`${name}: object expected`);
    return Object.entries(value).flatMap(([key, one]) =>
      withLength(id, [...encodeOne(1, keyType, key), ...encodeOne(2, type, one)]),
    );
  }
  if (rule !== 'repeated') return encodeOne(id, type, value);
  if (!Array.isArray(value)) throw new Error(`${name}: array expected`);
  if (wireTypeOf(type) === 2) return value.flatMap((one: unknown) => encodeOne(id, type, one));
  return value.length === 0
    ? []
    : withLength(
        id,
        value.map((one: unknown) => scalarBytes(type, one)),
      );
}

function encodeOne(id: number, type: string, value: unknown): Buffer[] {
  if (!isMessage(type)) {
    const bytes = scalarBytes(type, value);
    return wireTypeOf(type) === 2 ? withLength(id, [bytes]) : [varint(tagOf(id, wireTypeOf(type))), bytes];
  }
  if (!isObject(value)) throw new Error(`a message ${type} must be an object`);
  return withLength(id, encode(type, value));
}

function withLength(id: number, parts: readonly Buffer[]): Buffer[] {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return [varint(tagOf(id, 2)), varint(BigInt(length)), ...parts];
}

function tagOf(id: number, wireType: WireType): bigint {
  return BigInt(id * 8 + wireType);
}

function scalarBytes(type: string, value: unknown): Buffer {
  switch (type) {
    case 'string':
      return Buffer.from(String(value));
    case 'bytes':
      return value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(String(value), 'base64');
    case 'double': {
      const bytes = Buffer.alloc(8);
      bytes.writeDoubleLE(Number(value));
      return bytes;
    }
    case 'bool':
      return varint(value ? 1n : 0n);
    default:
      return varint(wholeOf(type, value));
  }
}

/** @throws Error for what is no whole number, and no value of the enum */
function wholeOf(type: string, value: unknown): bigint {
  const { values } = descriptorOf(type) ?? {};
  const number = values !== undefined && typeof value === 'string' ? values[value] : value;
  if (typeof number === 'bigint') return number;
  if (typeof number !== 'number' && typeof number !== 'string') throw new Error(`${String(value)} is no ${type}`);
  return BigInt(number);
}

function varint(value: bigint): Buffer {
  let rest = BigInt.asUintN(64, value);
  const bytes: number[] = [];
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  return Buffer.from([...bytes, Number(rest)]);
}

/** A position in bytes. @throws Error at their end */
class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  varint(): bigint {
    // Nearly all are short: numbers are several times faster than whole numbers of any length.
    let low = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.#byte();
      low |= (byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt(low);
    }
    let value = BigInt(low);
    for (let shift = 28n; shift < 70n; shift += 7n) {
      const byte = this.#byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new Error('a whole number of the message is too long');
  }

  double(): number {
    return this.take(8).readDoubleLE();
  }

  take(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new Error('the message is cut short');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  withLength(): Buffer {
    return this.take(Number(this.varint()));
  }

  skip(wireType: number): void {
    if (wireType === 0) this.varint();
    else if (wireType === 1) this.take(8);
    else if (wireType === 2) this.withLength();
    else if (wireType === 5) this.take(4);
    else throw new Error(`the message has an unknown wire type ${wireType}`);
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new Error('the message is cut short');
    return byte;
  }
}

type Message = Record<string, unknown>;

function decode(type: string, bytes: Buffer): Message {
  const { byId, ordered } = fieldsOf(type);
  const message = defaultsOf(ordered);
  const reader = new Reader(bytes);
  while (!reader.isAtEnd) {
    const tag = Number(reader.varint());
    const field = byId.get(Math.floor(tag / 8));
    const wireType = tag % 8;
    if (field === undefined || (wireType !== 2 && wireType !== wireTypeOf(field.type))) reader.skip(wireType);
    else readField(reader, field, { message, wireType });
  }
  return message;
}

interface Into {
  readonly message: Message;
  readonly wireType: number;
}

function readField(reader: Reader, field: NamedField, { message, wireType }: Into): void {
  const { name, type, rule, keyType, oneof } = field;
  if (keyType !== undefined) {
    const [key, value] = readEntry(reader.withLength(), field);
    const entries = message[name];
    if (isObject(entries)) message[name] = { ...entries, [key]: value };
    return;
  }
  if (rule === 'repeated') {
    const list = message[name];
    if (!Array.isArray(list)) return;
    if (wireType !== 2 || wireTypeOf(type) === 2) list.push(readOne(reader, type));
    else for (const packed = new Reader(reader.withLength()); !packed.isAtEnd; ) list.push(readOne(packed, type));
    return;
  }
  message[name] = readOne(reader, type);
  if (oneof !== undefined) message[oneof] = name;
}

function readEntry(bytes: Buffer, { type, keyType = 'string' }: NamedField): readonly [string, unknown] {
  const reader = new Reader(bytes);
  let [key, value] = ['', isMessage(type) ? {} : defaultOf(type)];
  while (!reader.isAtEnd) {
    const tag = Number(reader.varint());
    if (Math.floor(tag / 8) === 1) key = String(readOne(reader, keyType));
    else if (Math.floor(tag / 8) === 2) value = readOne(reader, type);
    else reader.skip(tag % 8);
  }
  return [key, value];
}

function readOne(reader: Reader, type: string): unknown {
  switch (type) {
    case 'string':
      return reader.withLength().toString();
    case 'bytes':
      return Buffer.from(reader.withLength());
    case 'double':
      return reader.double();
    case 'bool':
      return reader.varint() !== 0n;
    case 'uint32':
      return Number(BigInt.asUintN(32, reader.varint()));
    case 'uint64':
      return String(reader.varint());
    case 'int64':
      return String(BigInt.asIntN(64, reader.varint()));
    default:
      return isMessage(type) ? decode(type, reader.withLength()) : enumName(type, Number(reader.varint()));
  }
}

const enums = new Map<string, ReadonlyMap<number, string>>();

/** Its number for a value that this version does not know. */
function enumName(type: string, number: number): string | number {
  const names =
    enums.get(type) ?? new Map(Object.entries(descriptorOf(type)?.values ?? {}).map(([one, of]) => [of, one]));
  enums.set(type, names);
  return names.get(number) ?? number;
}

/** Fields of oneofs, optional ones among them, are absent until they are read. */
function defaultsOf(fields: readonly NamedField[]): Message {
  return Object.fromEntries(
    fields.flatMap(({ name, type, rule, keyType, oneof }) => {
      if (rule === 'repeated') return [[name, []]];
      if (keyType !== undefined) return [[name, {}]];
      return oneof === undefined ? [[name, isMessage(type) ? null : defaultOf(type)]] : [];
    }),
  );
}

function defaultOf(type: string): unknown {
  switch (type) {
    case 'string':
      return '';
    case 'bytes':
      return Buffer.alloc(0);
    case 'bool':
      return false;
    case 'uint64':
    case 'int64':
      return '0';
    case 'double':
    case 'uint32':
      return 0;
    default:
      return enumName(type, 0);
  }
}
