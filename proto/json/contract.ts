// The contract's message types for code that reads or writes messages by name: the JSON API and gatewayctl.
import contract from '../generated/contract.json' with { type: 'json' };

export interface FieldType {
  /** A scalar, or the name of a message or enum. */
  readonly type: string;
  readonly rule?: string;
  /** Only for a map. */
  readonly keyType?: string;
}

export interface MethodTypes {
  readonly requestType: string;
  readonly responseType: string;
}

interface TypeDescriptor {
  readonly oneofs?: Readonly<Record<string, { readonly oneof: readonly string[] }>>;
  readonly fields?: Readonly<Record<string, FieldType>>;
  readonly values?: Readonly<Record<string, number>>;
  readonly methods?: Readonly<Record<string, MethodTypes>>;
}

const types: Readonly<Record<string, TypeDescriptor>> = contract.nested.gateway.nested.v1.nested;

/** Fields by the name in lowerCamelCase. @throws Error if the contract has no such message */
export function fieldsOf(message: string): Readonly<Record<string, FieldType>> {
  const fields = typeNamed(message)?.fields;
  if (fields === undefined) throw new Error(`the contract has no message ${message}`);
  return fields;
}

/** Groups of fields, by names in lowerCamelCase; at most one field of each group may be set. */
export function oneofsOf(message: string): readonly (readonly string[])[] {
  return Object.values(typeNamed(message)?.oneofs ?? {}).map(({ oneof }) => oneof);
}

/** Whether absence differs from the type's zero value. */
export function isOptional(message: string, field: string): boolean {
  return Object.hasOwn(typeNamed(message)?.oneofs ?? {}, `_${field}`);
}

/** Names of an enum's values without the unspecified one; undefined if the type is no enum. */
export function enumNames(type: string): readonly string[] | undefined {
  const values = typeNamed(type)?.values;
  return values && Object.keys(values).filter((name) => values[name] !== 0);
}

/**
 * "ROLE_PLATFORM_OPERATOR" is "platform-operator": the name without its type's prefix, in the form that operators
 * write.
 */
export function enumWord(type: string, name: string): string {
  const prefix = `${type.replace(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}_`;
  return (name.startsWith(prefix) ? name.slice(prefix.length) : name).toLowerCase().replaceAll('_', '-');
}

/** The name of an enum's value, from its name or its word; undefined for other texts. */
export function enumNamed(type: string, given: string): string | undefined {
  return enumNames(type)?.find((name) => name === given || enumWord(type, name) === given);
}

export function enumTypes(): readonly string[] {
  return Object.keys(types).filter((type) => types[type]?.values !== undefined);
}

/** @param method such as "VirtualKeys.Rotate". @throws Error if the contract has no such method */
export function methodTypes(method: string): MethodTypes {
  const [service = '', name = ''] = method.split('.');
  const found = typeNamed(service)?.methods?.[name];
  if (found === undefined) throw new Error(`the contract has no method ${method}`);
  return found;
}

export function isMessage(type: string): boolean {
  return typeNamed(type)?.fields !== undefined;
}

/** "allowedModels" → "allowed_models": the name in the .proto file. */
export function originalName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function typeNamed(name: string): TypeDescriptor | undefined {
  return Object.hasOwn(types, name) ? types[name] : undefined;
}
