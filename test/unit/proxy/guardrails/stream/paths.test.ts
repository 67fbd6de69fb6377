// Texts in unknown fields of a stream are guarded as a whole, however they are cut.
import { describe, expect, it } from 'vitest';
import { type JsonObject, objectsOf } from '../../../../../common/json.ts';
import { guardText } from '../../../../../guardrails/window.ts';
import { GatewayError } from '../../../../../proxy/errors.ts';
import { windowsMax } from '../../../../../proxy/guardrails/stream/path-windows.ts';
import { Random } from '../../../../support/access/random.ts';
import {
  blocked,
  chunkOf,
  deltasOf,
  finishOf,
  guarded,
  guardOf,
  marked,
  receive,
  responseGuards,
} from '../../../../support/guarded-streams.ts';
import { roundsOf, startingSeed } from '../../../../support/seed.ts';

const guard = (action: 'block' | 'redact') => responseGuards([guardOf(marked('<', '>', 'SECRET'), action)]);
const role = chunkOf({ role: 'assistant', content: '', refusal: null });

/** The path of a text in a delta; a number is the index of a part of a list. */
type Path = readonly (string | number)[];

function at([step, ...more]: Path, value: unknown): unknown {
  if (step === undefined) return value;
  return typeof step === 'number' ? [{ index: step, ...(at(more, value) as object) }] : { [step]: at(more, value) };
}

function textAt(value: unknown, [step, ...more]: Path): string {
  if (step === undefined) return typeof value === 'string' ? value : '';
  if (typeof step !== 'number') return textAt((value as JsonObject | undefined)?.[step], more);
  const parts = Array.isArray(value) ? value : [];
  return textAt(
    parts.find((part) => part.index === step),
    more,
  );
}

async function through(chunks: readonly JsonObject[], action: 'block' | 'redact' = 'redact') {
  const { source, result } = guarded(guard(action), 1024 * 1024);
  source.say(role, ...chunks, finishOf('stop'));
  source.end();
  const received = receive(await result);
  await received.over;
  return received;
}

/** The error code that ends the stream, whether or not anything was sent before. */
async function refused(chunks: readonly JsonObject[]): Promise<unknown> {
  const failure = await through(chunks, 'block').then(
    (received) => received.failure,
    (error: unknown) => error,
  );
  return failure instanceof GatewayError ? failure.code : failure;
}

const paths: readonly Path[] = [
  ['thinking'],
  ['reasoning_text'],
  ['thinking_blocks', 0, 'thinking'],
  ['provider_specific_fields', 'text'],
  ['provider_specific_fields', 'parts', 1, 'note', 'words'],
];

describe('a text that is cut in two', () => {
  it.each(paths)('at the path %s.%s.%s is blocked', async (...path) => {
    const chunks = ['mail <ada@cor', 'p.org> now'].map((text) => chunkOf(at(path, text) as JsonObject));
    expect(await refused(chunks)).toBe('guardrail_blocked');
    const { chunks: left } = await through(chunks);
    expect(
      deltasOf(left)
        .map((delta) => textAt(delta, path))
        .join(''),
    ).toBe('mail [SECRET] now');
  });

  it('beside a delta or a choice is blocked', async () => {
    for (const chunksOf of [
      (text: string) => ({ ...chunkOf({}), note: { text: text } }),
      (text: string) => chunkOf({}, { text }),
      (text: string) => chunkOf({}, { message: { content: text } }),
    ])
      await expect(through(['a <b', 'c> d'].map(chunksOf), 'block')).rejects.toMatchObject({
        code: 'guardrail_blocked',
      });
  });
});

it('values without a match are sent unchanged', async () => {
  const stated = [{ state: 'on', n: 1 }, { state: 'on', n: 2 }, { state: 'off' }];
  const { chunks } = await through(stated.map((vendor) => chunkOf({ vendor })));
  expect(deltasOf(chunks).flatMap(({ vendor }) => vendor ?? [])).toEqual(stated);
});

it('a field that every chunk repeats is sent with every chunk', async () => {
  const sources = ['https://example.com/one/of/them', 'https://example.com/<the>/other'];
  const chunks = ['a ', 'b ', 'c '].map((content) => ({ ...chunkOf({ content }), sources }));
  const { chunks: left } = await through(chunks);
  const expected = [sources[0], 'https://example.com/[SECRET]/other'];
  expect(left.flatMap((chunk) => ('sources' in chunk ? [chunk.sources] : []))).toEqual(chunks.map(() => expected));
});

it('a field that every choice repeats is no text in pieces', async () => {
  const sources = 'https://example.com/one/of/them> or <';
  const chunks = ['a ', 'b ', 'c '].map((content) => chunkOf({ content }, { sources }));
  const { chunks: left } = await through([...chunks, chunkOf({ content: 'd ' }, { sources: 'the> end' })], 'block');
  const parts = left.flatMap((chunk) => objectsOf(chunk.choices).flatMap((choice) => choice.sources ?? []));
  expect(parts).toEqual([sources, sources, sources, 'the> end']);
});

it('more texts in one chunk than there are windows are blocked by the failure rule', async () => {
  const fields = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`field_${index}`, 'text']));
  await expect(through([chunkOf(fields(windowsMax))])).resolves.toMatchObject({ hasEnded: true });
  await expect(through([chunkOf(fields(windowsMax + 1))])).rejects.toMatchObject(blocked());
});

it('a tool’s name in two pieces is whole for the client and for the guardrail', async () => {
  const call = (fields: JsonObject, index = 0) => chunkOf({ tool_calls: [{ index, ...fields }] });
  const named = (first: string, second: string) => [
    call({ id: 'a', type: 'function', function: { name: first, arguments: '' } }),
    call({ function: { name: second, arguments: '{}' } }),
  ];
  const nameOf = async (chunks: readonly JsonObject[]) =>
    deltasOf((await through(chunks)).chunks).flatMap((delta) => delta.tool_calls ?? []);
  expect(await nameOf(named('zanzibar', '_heron'))).toMatchObject([{ function: { name: 'zanzibar_heron' } }]);
  expect(await nameOf(named('heron', 'heron'))).toMatchObject([{ function: { name: 'heron' } }]);
  await expect(through(named('<zan', 'zibar>'), 'block')).rejects.toMatchObject({
    code: 'guardrail_blocked',
  });
});

it('texts at random paths, cut at random, give the same result as the whole texts', async () => {
  const first = startingSeed();
  for (let seed = first; seed < first + roundsOf(150); seed++) {
    const random = new Random(seed);
    const stated = randomTexts(random);
    const chunks = cutInto(random, stated);
    const parsed = `seed ${seed}: ${JSON.stringify(chunks)}`;
    const { chunks: left, bytes } = await through(chunks.map((delta) => chunkOf(delta)));
    const guards = guard('redact').guards();
    for (const { path, text } of stated) {
      const received = deltasOf(left).map((delta) => textAt(delta, path));
      expect(received.join(''), parsed).toBe(guardText(guards, text));
    }
    expect(bytes.includes('secret'), parsed).toBe(false);
  }
});

interface Statement {
  readonly path: Path;
  readonly text: string;
}

function randomTexts(random: Random): readonly Statement[] {
  const names = ['a', 'note', 'x_y', 'thoughts'];
  return Array.from({ length: 1 + random.below(3) }, (_, index) => {
    const steps = Array.from({ length: random.below(3) }, () =>
      random.chance(0.4) ? random.below(2) : random.pick(names),
    );
    // A list contains objects, and a path ends with a name.
    const path = [
      `unknown_${index}`,
      ...steps.flatMap((step) => (typeof step === 'number' ? [step, 'in'] : [step])),
      'text',
    ];
    const text = Array.from({ length: 1 + random.below(6) }, () =>
      random.pick(['tea ', '<secret>', '<a secret word>', '\n', '{"a":1}', 'é', '< ', ' >', '\\n']),
    ).join('');
    return { path, text };
  });
}

/** Cuts the texts into pieces; the pieces of one chunk are in one delta or in several. */
function cutInto(random: Random, stated: readonly Statement[]): readonly JsonObject[] {
  const rest = stated.map(({ path, text }) => ({ path, text }));
  const chunks: JsonObject[] = [{ content: 'Hi. ' }];
  while (rest.some(({ text }) => text !== '')) {
    const one = random.pick(rest.filter(({ text }) => text !== ''));
    const size = 1 + random.below(random.pick([1, 6, 40]));
    chunks.push({
      ...(at(one.path, one.text.slice(0, size)) as JsonObject),
      ...(random.chance(0.2) && { content: 'so ' }),
    });
    one.text = one.text.slice(size);
  }
  return chunks;
}
