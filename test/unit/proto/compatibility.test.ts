import protobuf from 'protobufjs';
import { describe, expect, it } from 'vitest';
import { type Descriptor, findBreaks } from '../../../proto/compatibility.ts';
import contract from '../../../proto/generated/contract.json' with { type: 'json' };

const released = `
  syntax = "proto3";
  package gateway.v1;
  service Keys {
    rpc Get(GetRequest) returns (Key);
    rpc Watch(stream GetRequest) returns (stream Key);
  }
  message GetRequest {
    reserved 4, 7 to 9;
    reserved "old_name";
    string key_id = 1;
    optional uint32 size = 2;
    oneof what {
      string text = 3;
      bytes raw = 5;
    }
  }
  message Key {
    string id = 1;
    repeated string names = 2;
    map<string, string> metadata = 3;
    Kind kind = 4;
    message Part {
      string id = 1;
    }
    Part part = 5;
  }
  enum Kind {
    KIND_UNSPECIFIED = 0;
    KIND_ONE = 1;
    KIND_TWO = 2;
  }
`;

const breaking: readonly (readonly [what: string, from: string | RegExp, to: string, where: string, says: RegExp])[] = [
  ['a service that is gone', released, 'syntax = "proto3"; package gateway.v1;', 'Keys', /service is gone/],
  ['a service of another name', 'service Keys', 'service Locks', 'Keys', /service is gone or renamed/],
  ['a package of another name', 'package gateway.v1', 'package gateway.v2', 'gateway.v1', /package is gone/],
  ['a method that is gone', 'rpc Get(GetRequest) returns (Key);', '', 'Keys.Get', /method is gone/],
  ['a method of another name', 'rpc Get(', 'rpc Fetch(', 'Keys.Get', /method is gone or renamed/],
  ['another request', 'Get(GetRequest)', 'Get(Key)', 'Keys.Get', /request was GetRequest and is Key; .*new one/],
  ['another response', 'returns (Key);', 'returns (GetRequest);', 'Keys.Get', /response was Key/],
  ['a request that streams no more', 'Watch(stream ', 'Watch(', 'Keys.Watch', /stream of requests was true/],
  ['a response that streams no more', '(stream Key)', '(Key)', 'Keys.Watch', /stream of responses was true/],
  ['a response that streams now', 'returns (Key);', 'returns (stream Key);', 'Keys.Get', /was false and is tr/],
  ['a message of another name', / Part\b/g, ' Piece', 'Key.Part', /message is gone or renamed/],
  ['a message that is an enum', 'message Part {', 'enum Part { P_ZERO = 0; } message Piece {', 'Key.Part', /gone/],
  ['a field that is gone', 'string key_id = 1;', '', 'GetRequest.keyId', /keep it, or, .* reserve 1 and/],
  ['a field of another name', 'key_id', 'virtual_key_id', 'GetRequest.keyId', /field is gone or renamed/],
  [
    'a field that is gone with its number reserved alone',
    'string key_id = 1;',
    'reserved 1;',
    'GetRequest.keyId',
    /gone/,
  ],
  [
    'a field that is gone with its name reserved alone',
    'string key_id = 1;',
    'reserved "key_id";',
    'GetRequest.keyId',
    /gone/,
  ],
  ['a field of another number', 'key_id = 1', 'key_id = 6', 'GetRequest.keyId', /number was 1 and is 6/],
  ['a field of another type', 'uint32 size', 'uint64 size', 'GetRequest.size', /type was uint32 and is uint64/],
  ['a field that is optional no more', 'optional uint32', 'uint32', 'GetRequest.size', /was optional and is one/],
  ['a field that is optional now', 'string key_id', 'optional string key_id', 'GetRequest.keyId', /is optional/],
  ['a field that is repeated now', 'string key_id', 'repeated string key_id', 'GetRequest.keyId', /is repeated/],
  ['a field that is repeated no more', 'repeated string', 'string', 'Key.names', /was repeated and is one/],
  ['a map of other keys', 'map<string, string>', 'map<uint32, string>', 'Key.metadata', /type was map<string, /],
  ['a map of other values', 'map<string, string>', 'map<string, bytes>', 'Key.metadata', /is map<string, bytes>/],
  ['a map that is a message', 'map<string, string>', 'Part', 'Key.metadata', /cardinality was map and is one/],
  [
    'a field that left its oneof',
    'bytes raw = 5;\n    }',
    '}\n bytes raw = 5;',
    'GetRequest.raw',
    /was what and is no/,
  ],
  [
    'a field that entered a oneof',
    'string key_id = 1;',
    'oneof which { string key_id = 1; }',
    'GetRequest.keyId',
    /oneof was none and is which/,
  ],
  [
    'a field of another name in JSON',
    'string key_id = 1;',
    'string key_id = 1 [json_name = "id"];',
    'GetRequest.keyId',
    /name in JSON was keyId and is id/,
  ],
  ['an enum of another name', /\bKind\b/g, 'Sort', 'Kind', /enum is gone or renamed/],
  ['an enum value that is gone', 'KIND_TWO = 2;', '', 'Kind.KIND_TWO', /enum value is gone.*reserve 2/],
  ['an enum value of another name', 'KIND_TWO', 'KIND_SECOND', 'Kind.KIND_TWO', /gone or renamed/],
  ['an enum value of another number', 'KIND_TWO = 2', 'KIND_TWO = 3', 'Kind.KIND_TWO', /number was 2 and is 3/],
  [
    'a number that is reserved no more',
    'reserved 4, 7 to 9',
    'reserved 7 to 9',
    'GetRequest',
    /^4 is no longer reserved/,
  ],
  ['a part of a range that is reserved no more', '7 to 9', '7 to 8', 'GetRequest', /^7 to 9 is no longer reserved/],
  ['a name that is reserved no more', 'reserved "old_name";', '', 'GetRequest', /^"old_name" is no longer reserved/],
  [
    'a reserved number that is used again',
    'reserved 4, 7 to 9;',
    'reserved 7 to 9; string other = 4;',
    'GetRequest',
    /^4 is no longer reserved/,
  ],
];

const additive: readonly (readonly [what: string, from: string, to: string])[] = [
  ['nothing', '', ''],
  ['a new service', 'service Keys', 'service Locks { rpc Get(Key) returns (Key); } service Keys'],
  ['a new method', 'rpc Get(', 'rpc List(GetRequest) returns (Key); rpc Get('],
  ['a new message', 'message Key', 'message Lock { string id = 1; } message Key'],
  ['a new field', 'string key_id = 1;', 'string key_id = 1; repeated Key others = 6;'],
  ['a new optional field', 'string key_id = 1;', 'string key_id = 1; optional string more = 6;'],
  ['a new field of a oneof', 'string text = 3;', 'string text = 3; Key key = 6;'],
  ['a new oneof', 'string id = 1;', 'string id = 1; oneof other { string a = 16; string b = 17; }'],
  ['a new map', 'string id = 1;', 'string id = 1; map<string, Kind> kinds = 16;'],
  ['a new enum value', 'KIND_TWO = 2;', 'KIND_TWO = 2; KIND_THREE = 3;'],
  ['a new enum', 'enum Kind', 'enum State { STATE_UNSPECIFIED = 0; } enum Kind'],
  ['more reservations', 'reserved 4, 7 to 9;', 'reserved 4, 6 to 12; reserved "other";'],
  ['a reserved range in pieces', '7 to 9', '7, 8 to 8, 9'],
  ['another order', 'KIND_ONE = 1;\n    KIND_TWO = 2;', 'KIND_TWO = 2; KIND_ONE = 1;'],
  ['a field whose number and name are reserved', 'string key_id = 1;', 'reserved 1; reserved "key_id";'],
  ['an enum value whose number and name are reserved', 'KIND_TWO = 2;', 'reserved 2; reserved "KIND_TWO";'],
  ['a JSON name equal to the default', 'string key_id = 1;', 'string key_id = 1 [json_name = "keyId"];'],
];

describe('the contract breaks released programs by', () => {
  it.each(breaking)('%s', (...[, from, to, where, says]) => {
    const breaks = findBreaks(described(released), described(edited(from, to)));
    expect(breaks.map((one) => one.where)).toContain(where.startsWith('gateway') ? where : `gateway.v1.${where}`);
    expect(breaks.map((one) => one.what).join('\n')).toMatch(new RegExp(says, 'm'));
  });
});

describe('the contract stays compatible by', () => {
  it.each(additive)('%s', (_what, from, to) => {
    expect(findBreaks(described(released), described(edited(from, to)))).toEqual([]);
  });
});

it('a contract breaks nothing compared with itself, and everything compared with an empty one is new', () => {
  expect(findBreaks(contract, contract)).toEqual([]);
  expect(findBreaks({}, contract)).toEqual([]);
  expect(findBreaks(contract, {})).toMatchObject([{ where: 'gateway' }]);
});

it('removing any field, method or enum value of the contract is noticed', () => {
  const types: Readonly<Record<string, Descriptor>> = contract.nested.gateway.nested.v1.nested;
  let members = 0;
  for (const [name, type] of Object.entries(types)) {
    for (const part of ['fields', 'values', 'methods'] as const) {
      for (const member of Object.keys(type[part] ?? {})) {
        members += 1;
        const { [member]: _, ...rest } = type[part] as Readonly<Record<string, object>>;
        const without = { nested: { [name]: { ...type, [part]: rest } } } as Descriptor;
        const breaks = findBreaks({ nested: { [name]: type } }, without);
        expect(breaks.map(({ where }) => where)).toEqual([`${name}.${member}`]);
      }
    }
  }
  expect(members).toBeGreaterThan(500);
});

function edited(from: string | RegExp, to: string): string {
  const text = released.replace(from, to);
  if (from !== '' && text === released) throw new Error(`nothing was edited: ${from}`);
  return text;
}

function described(source: string): Descriptor {
  return protobuf.parse(source, { keepCase: false }).root.toJSON() as Descriptor;
}
