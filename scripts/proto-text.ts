// Writes a contract in the proto language for Protocol Buffers tools, from the form of proto/released. That form has no
// comments, so the text has none.
import type { Descriptor, Field, Method } from '../proto/compatibility.ts';
import { originalName } from '../proto/json/contract.ts';

/**
 * @param contract with the package `gateway.v1`. @throws Error for another package, or a feature that the contract has
 *   not used so far
 */
export function protoText(contract: Descriptor): string {
  const types = contract.nested?.gateway?.nested?.v1?.nested;
  if (types === undefined) throw new Error('the contract has no package gateway.v1');
  const texts = Object.entries(types).map(([name, type]) => typeText(name, type));
  return ['syntax = "proto3";', 'package gateway.v1;', ...texts, ''].join('\n');
}

function typeText(name: string, type: Descriptor): string {
  if (type.nested !== undefined) throw new Error(`${name} has types within it, which are not written`);
  if (type.methods !== undefined) return block(`service ${name}`, methodLines(type.methods));
  if (type.values !== undefined) {
    const values = Object.entries(type.values).map(([value, number]) => `${value} = ${number};`);
    return block(`enum ${name}`, [...reservedLines(type), ...values]);
  }
  return block(`message ${name}`, [...reservedLines(type), ...fieldLines(type)]);
}

function methodLines(methods: Readonly<Record<string, Method>>): readonly string[] {
  const of = (type: string, streams: boolean | undefined) => (streams ? `stream ${type}` : type);
  return Object.entries(methods).map(
    ([name, { requestType, requestStream, responseType, responseStream }]) =>
      `rpc ${name}(${of(requestType, requestStream)}) returns (${of(responseType, responseStream)});`,
  );
}

function reservedLines({ reserved = [] }: Descriptor): readonly string[] {
  return reserved.map((one) =>
    typeof one === 'string' ? `reserved ${JSON.stringify(one)};` : `reserved ${[...new Set(one)].join(' to ')};`,
  );
}

function fieldLines({ fields = {}, oneofs = {} }: Descriptor): readonly string[] {
  // In that form, `optional` is a oneof of a single field.
  const choices = Object.entries(oneofs).filter(([, { oneof }]) => !oneof.some((name) => isOptional(fields[name])));
  const chosen = new Set(choices.flatMap(([, { oneof }]) => oneof));
  const single = Object.entries(fields).filter(([name]) => !chosen.has(name));
  return [
    ...single.map(([name, field]) => fieldLine(name, field)),
    ...choices.map(([name, { oneof }]) =>
      block(
        `oneof ${originalName(name)}`,
        Object.entries(fields)
          .filter(([field]) => oneof.includes(field))
          .map(([member, field]) => fieldLine(member, field)),
      ),
    ),
  ];
}

function fieldLine(name: string, field: Field): string {
  const { type, id, rule, keyType, options = {} } = field;
  const [option] = Object.keys(options).filter((one) => one !== 'proto3_optional');
  if (option !== undefined) throw new Error(`the field ${name} has the option ${option}, which is not written`);
  const label = isOptional(field) ? 'optional ' : rule === undefined ? '' : `${rule} `;
  return `${label}${keyType === undefined ? type : `map<${keyType}, ${type}>`} ${originalName(name)} = ${id};`;
}

function isOptional(field: Field | undefined): boolean {
  return field?.options?.proto3_optional === true;
}

function block(head: string, lines: readonly string[]): string {
  return `${head} {\n${lines.join('\n')}\n}`;
}
