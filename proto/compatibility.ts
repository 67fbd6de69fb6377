// Finds changes that break a released contract: an older proxy may call a newer control plane, and a newer proxy an
// older one. Descriptors have the protobufjs JSON form of proto/generated/contract.json; field names in it are the
// names in JSON. Additions break nothing.

/** A package, a message (with `fields`), an enum (`values`) or a service (`methods`). */
export interface Descriptor {
  readonly nested?: Named<Descriptor>;
  readonly fields?: Named<Field>;
  readonly oneofs?: Named<{ readonly oneof: readonly string[] }>;
  readonly values?: Named<number>;
  readonly methods?: Named<Method>;
  /** Ranges of numbers, inclusive, and names as in the .proto file. */
  readonly reserved?: readonly (readonly number[] | string)[];
}

export interface Field {
  readonly type: string;
  readonly id: number;
  readonly rule?: string;
  readonly keyType?: string;
  readonly options?: Named<unknown>;
}

export interface Method {
  readonly requestType: string;
  readonly responseType: string;
  readonly requestStream?: boolean;
  readonly responseStream?: boolean;
}

type Named<T> = { readonly [name: string]: T };

export interface Break {
  /** Such as `gateway.v1.KeyRecord.keyId`. */
  readonly where: string;
  /** The break, and the remedy. */
  readonly what: string;
}

/** In the order of the released contract. Empty if every released program continues to work. */
export function findBreaks(released: Descriptor, present: Descriptor): readonly Break[] {
  return breaksIn({ path: '', was: released, is: present });
}

interface Pair<T> {
  readonly path: string;
  readonly was: T;
  readonly is: T;
}

function breaksIn(pair: Pair<Descriptor>): readonly Break[] {
  const { path, was, is } = pair;
  return [
    ...reservationBreaks(pair),
    ...fieldBreaks(pair),
    ...valueBreaks(pair),
    ...methodBreaks(pair),
    ...Object.entries(was.nested ?? {}).flatMap(([name, type]) => {
      const where = path === '' ? name : `${path}.${name}`;
      const now = is.nested?.[name];
      const kind = kindOf(type);
      if (now !== undefined && kindOf(now) === kind) return breaksIn({ path: where, was: type, is: now });
      return [{ where, what: `the ${kind} is gone or renamed; keep it as long as a released program may use it` }];
    }),
  ];
}

function kindOf({ fields, values, methods }: Descriptor): 'message' | 'enum' | 'service' | 'package' {
  if (fields !== undefined) return 'message';
  if (values !== undefined) return 'enum';
  return methods === undefined ? 'package' : 'service';
}

function reservationBreaks({ path, was, is }: Pair<Descriptor>): readonly Break[] {
  return (was.reserved ?? []).flatMap((reservation) => {
    const kept = typeof reservation === 'string' ? isNameReserved(is, reservation) : isRangeReserved(is, reservation);
    if (kept) return [];
    const what = typeof reservation === 'string' ? `"${reservation}"` : [...new Set(reservation)].join(' to ');
    return [{ where: path, what: `${what} is no longer reserved: old data of it could be read as something else` }];
  });
}

function fieldBreaks({ path, was, is }: Pair<Descriptor>): readonly Break[] {
  return Object.entries(was.fields ?? {}).flatMap(([name, field]) => {
    const where = `${path}.${name}`;
    const now = is.fields?.[name];
    if (now === undefined) return goneUnlessReserved(is, { where, name, number: field.id, kind: 'field' });
    return differences(where, [
      ['number', field.id, now.id],
      ['type', typeOf(field), typeOf(now)],
      ['cardinality', cardinalityOf(field), cardinalityOf(now)],
      ['oneof', oneofOf(was, name), oneofOf(is, name)],
      ['name in JSON', jsonName(name, field), jsonName(name, now)],
    ]);
  });
}

function valueBreaks({ path, was, is }: Pair<Descriptor>): readonly Break[] {
  return Object.entries(was.values ?? {}).flatMap(([name, number]) => {
    const where = `${path}.${name}`;
    const now = is.values?.[name];
    if (now === undefined) return goneUnlessReserved(is, { where, name, number, kind: 'enum value' });
    return differences(where, [['number', number, now]]);
  });
}

function methodBreaks({ path, was, is }: Pair<Descriptor>): readonly Break[] {
  return Object.entries(was.methods ?? {}).flatMap(([name, method]) => {
    const where = `${path}.${name}`;
    const now = is.methods?.[name];
    if (now === undefined)
      return [{ where, what: 'the method is gone or renamed; keep it as long as a released program may call it' }];
    return differences(where, [
      ['request', method.requestType, now.requestType],
      ['response', method.responseType, now.responseType],
      ['stream of requests', method.requestStream ?? false, now.requestStream ?? false],
      ['stream of responses', method.responseStream ?? false, now.responseStream ?? false],
    ]);
  });
}

type Compared = readonly [what: string, was: string | number | boolean, is: string | number | boolean];

function differences(where: string, compared: readonly Compared[]): readonly Break[] {
  return compared
    .filter(([, was, is]) => was !== is)
    .map(([what, was, is]) => ({
      where,
      what: `the ${what} was ${was} and is ${is}; leave it as it was, and add a new one beside it`,
    }));
}

interface Gone {
  readonly where: string;
  readonly name: string;
  readonly number: number;
  readonly kind: string;
}

function goneUnlessReserved(is: Descriptor, { where, name, number, kind }: Gone): readonly Break[] {
  if (isNameReserved(is, name) && isRangeReserved(is, [number])) return [];
  return [
    {
      where,
      what: `the ${kind} is gone or renamed; keep it, or, where no released program needs it, reserve ${number} and its name`,
    },
  ];
}

function isNameReserved({ reserved = [] }: Descriptor, name: string): boolean {
  return reserved.some((one) => typeof one === 'string' && (one === name || camelCased(one) === camelCased(name)));
}

function isRangeReserved({ reserved = [] }: Descriptor, [from = 0, to = from]: readonly number[]): boolean {
  const covering = reserved.filter((one) => typeof one !== 'string');
  let next = from;
  while (next <= to) {
    const range = covering.find(([first = 0, last = first]) => first <= next && next <= last);
    if (range === undefined) return false;
    next = (range[1] ?? next) + 1;
  }
  return true;
}

function typeOf({ type, keyType }: Field): string {
  return keyType === undefined ? type : `map<${keyType}, ${type}>`;
}

function cardinalityOf({ rule, keyType, options }: Field): string {
  if (keyType !== undefined) return 'map';
  return rule ?? (options?.proto3_optional === true ? 'optional' : 'one');
}

/** In descriptors, `optional` is a oneof of a single field. */
function oneofOf({ oneofs = {}, fields = {} }: Descriptor, field: string): string {
  if (fields[field]?.options?.proto3_optional === true) return 'none';
  return Object.entries(oneofs).find(([, { oneof }]) => oneof.includes(field))?.[0] ?? 'none';
}

function jsonName(name: string, { options }: Field): string {
  return typeof options?.json_name === 'string' ? options.json_name : name;
}

function camelCased(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
