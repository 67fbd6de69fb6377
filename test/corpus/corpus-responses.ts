// Responses of models, independent of the vendor: each vendor's writer puts these rows into its own format.

export type Piece =
  | { readonly text: string }
  | { readonly thought: string }
  /** Arguments as JSON text. */
  | { readonly call: string; readonly args: string };

export interface ExpectedResponse {
  readonly name: string;
  readonly pieces: readonly Piece[];
  readonly ends: 'stop' | 'length' | 'calls' | 'filter';
  readonly usage: Counts;
}

/** Token counts. The prompt includes cached tokens, the output includes thought tokens. */
export interface Counts {
  readonly input: number;
  readonly output: number;
  readonly cached?: number;
  readonly thought?: number;
}

const plain: Counts = { input: 20, output: 8 };
const expected = (name: string, text: string, more: Partial<ExpectedResponse> = {}): ExpectedResponse => ({
  ...{ name, pieces: [{ text }], ends: 'stop', usage: plain },
  ...more,
});
const called = (name: string, ...pieces: readonly Piece[]): ExpectedResponse => ({
  name,
  pieces,
  ends: 'calls',
  usage: plain,
});
const boil = (args: string): Piece => ({ call: 'boil', args });

export const responses: readonly ExpectedResponse[] = [
  expected('a text', 'Tea is hot.'),
  expected('a text of several lines', 'One\n\nTwo\r\nThree\n'),
  expected('emoji', 'Tea 🍵 for 👩‍👩‍👧 at 5°'),
  expected('other scripts', 'שלום, 茶は熱い, تحية'),
  expected('JSON', '{"cups": 2, "id": 1234567890123456789}'),
  expected('markup', '<b>Tea</b> & "cups" \\ </think>'),
  expected('a long text', 'Tea is hot. '.repeat(400)),
  expected('spaces around', '  Tea  '),
  expected('a response cut off', 'Tea is', { ends: 'length' }),
  expected('a response that was filtered', 'Tea', { ends: 'filter' }),
  expected('a cached prompt', 'Tea.', { usage: { input: 2000, output: 4, cached: 1500 } }),
  { name: 'two texts', pieces: [{ text: 'Tea ' }, { text: 'is hot.' }], ends: 'stop', usage: plain },
  {
    name: 'a thought, then a text',
    pieces: [{ thought: 'They ask of tea.' }, { text: 'Tea is hot.' }],
    ends: 'stop',
    usage: { input: 20, output: 30, thought: 20 },
  },
  {
    name: 'a thought, cut off',
    pieces: [{ thought: 'They ask' }],
    ends: 'length',
    usage: { input: 20, output: 30, thought: 30 },
  },
  called('a call', boil('{"cups":2}')),
  called('a call without arguments', boil('{}')),
  called('a text, then a call', { text: 'On it.' }, boil('{"cups":2}')),
  called('two calls', boil('{"cups":2}'), boil('{"cups":3}')),
  called('two calls of two tools', boil('{"cups":2}'), { call: 'pour', args: '{"into":"a cup"}' }),
  called('a large number in a call', boil('{"user_id":1234567890123456789}')),
  called('exact numbers in a call', boil('{"a":1.0,"b":2.50e3,"c":-0}')),
  called('nested arguments', boil('{"a":{"b":[1,{"c":null}]},"d":"é🍵\\n"}')),
  called('a thought, then a call', { thought: 'A kettle.' }, boil('{"cups":2}')),
];
