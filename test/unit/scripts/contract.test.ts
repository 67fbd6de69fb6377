import protobuf from 'protobufjs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Descriptor } from '../../../proto/compatibility.ts';
import contract from '../../../proto/generated/contract.json' with { type: 'json' };
import { breaksOf } from '../../../scripts/contract.ts';
import { protoText } from '../../../scripts/proto-text.ts';

const parsed = (text: string) => protobuf.parse(text, { keepCase: false }).root.toJSON() as Descriptor;
const namesIn = (text: string) => text.match(/[\w.]+/g)?.toSorted();

describe('a released contract as text', () => {
  it('means the same as the contract', () => {
    expect(parsed(protoText(contract))).toEqual(contract);
  });

  it('supports every kind of declaration', () => {
    const text = `
      syntax = "proto3";
      package gateway.v1;
      service Keys {
        rpc Watch(stream Key) returns (stream Key);
        rpc Get(Key) returns (Key);
      }
      message Key {
        reserved 4, 7 to 9;
        reserved "old_name";
        optional uint32 size_max = 1;
        repeated string names = 2;
        map<string, Kind> kinds_by_name = 3;
        oneof where_to {
          string plain_text = 5;
          Kind kind = 6;
        }
      }
      enum Kind {
        reserved 2;
        KIND_UNSPECIFIED = 0;
      }`;
    const written = protoText(parsed(text));
    expect(parsed(written)).toEqual(parsed(text));
    expect(written).toContain('uint32 size_max = 1;');
    expect(namesIn(written)?.filter((word) => word !== 'reserved')).toEqual(
      namesIn(text)?.filter((word) => word !== 'reserved'),
    );
  });

  it('is refused when a part of it cannot be written', () => {
    const of = (source: string) => () => protoText(parsed(`syntax = "proto3"; package gateway.v1; ${source}`));
    expect(of('message A { string b = 1 [deprecated = true]; }')).toThrow('b has the option deprecated');
    expect(of('message A { message B {} }')).toThrow('A has types within it');
    expect(() => protoText(parsed('syntax = "proto3"; package other.v1;'))).toThrow('no package gateway.v1');
  });
});

describe('buf breaking', () => {
  const cases = [
    ['a field that is gone', 'message Person {', 'message Person { string shoe_size = 99;', /"99".*shoe_size/],
    ['a field of another type', 'uint64 revision', 'int32 revision', /revision.*int32.*uint64/],
    ['an enum value that is gone', 'ROLE_UNSPECIFIED = 0;', 'ROLE_UNSPECIFIED = 0; ROLE_COOK = 99;', /"99".*"Role"/],
    ['a method that is gone', 'service People {', 'service People { rpc Fire(Person) returns (Person);', /"Fire"/],
    ['a message that is gone', 'message Person {', 'message Animal {} message Person {', /"Animal"/],
    ['a reservation that is gone', 'message Person {', 'message Person { reserved 98;', /reserved.*98/],
  ] as const;
  /** One run of buf, which takes half a second, for a contract with all differences; no finding fits two of them. */
  let lines: readonly string[];
  beforeAll(() => {
    const released = cases.reduce((text, [, from, to]) => {
      expect(text).toContain(from);
      return text.replace(from, to);
    }, protoText(contract));
    lines = breaksOf(parsed(released));
  });

  it('finds nothing between equal contracts', () => {
    expect(breaksOf(contract)).toEqual([]);
  });

  it.each(cases)('finds %s', (_, _from, _to, finding) => {
    expect(lines.join('\n')).toMatch(finding);
  });

  it('finds nothing else', () => {
    expect(lines.filter((line) => cases.filter(([, , , finding]) => finding.test(line)).length !== 1)).toEqual([]);
  });
});
