// What is cut in two where one place ends and the next begins.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../common/json.ts';
import { inspected, wordsGuardrail } from '../../../support/guarded-requests.ts';

const guard = (action: 'block' | 'redact') => wordsGuardrail(['BAD WORD', 'BAD\nLINE'], { action });
const user = (content: unknown) => ({ role: 'user', content });
const part = (text: string) => ({ type: 'text', text });
const isBlocked = (...messages: readonly JsonObject[]) =>
  inspected(guard('block'), { messages }).then(
    () => false,
    (error: { code: string }) => error.code === 'guardrail_blocked',
  );
const contents = async (...messages: readonly JsonObject[]) => {
  const body = await inspected(guard('redact'), { messages });
  return Array.isArray(body.messages) ? body.messages.map((one: JsonObject) => one.content) : [];
};

describe('text is joined', () => {
  it('of the parts of one message', async () => {
    expect(await isBlocked(user([part('a BAD W'), part('ORD')]))).toBe(true);
  });

  it('over parts that are no text, and parts that are empty', async () => {
    const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
    expect(await isBlocked(user([part('a BAD W'), image, part(''), part('ORD')]))).toBe(true);
  });

  it('of messages that follow each other in one role', async () => {
    expect(await isBlocked(user('a BAD '), user('WORD'))).toBe(true);
    const result = (content: string) => ({ role: 'tool', tool_call_id: 'c', content });
    expect(await isBlocked(result('a BAD '), { ...result('WORD'), role: 'function' })).toBe(true);
  });

  it('with a line break between, as vendors join it too', async () => {
    expect(await isBlocked(user('BAD'), user('LINE'))).toBe(true);
  });

  it('of a content and a refusal', async () => {
    expect(await isBlocked({ role: 'assistant', content: 'BAD ', refusal: 'WORD' })).toBe(true);
  });

  it('of all that the system says, and of a user before and after it', async () => {
    const system = { role: 'system', content: 'BAD ' };
    const developer = { role: 'developer', content: 'WORD' };
    expect(await isBlocked(system, user('x'), developer)).toBe(true);
    expect(await isBlocked(user('BAD '), { role: 'system', content: 'x' }, user('WORD'))).toBe(true);
  });

  it('over any number of pieces, down to single letters', async () => {
    expect(await isBlocked(user([...'a BAD WORD'].map(part)))).toBe(true);
    expect(await isBlocked(...[...'a BAD WORD'].map(user))).toBe(true);
  });

  it('not of different roles, nor of different fields', async () => {
    expect(await isBlocked(user('BAD '), { role: 'assistant', content: 'WORD' })).toBe(false);
    expect(await isBlocked({ role: 'assistant', content: 'BAD ', reasoning_content: 'WORD' })).toBe(false);
  });

  it('beside long texts only where it is near enough to be found whole', async () => {
    const long = 'x'.repeat(5_000);
    expect(
      await isBlocked(user([part(`${long} BAD `), part(`WORD ${long}`), part('BAD '), part('WORD')])),
    ).toBe(true);
    expect(await isBlocked(user([part(`${long}BAD `), part('WO'), part(`RD${long}`)]))).toBe(true);
    expect(await isBlocked(user([part(long), part(long)]))).toBe(false);
  });
});

describe('what crosses a seam', () => {
  it('is replaced where it begins, and the rest of it is taken away', async () => {
    expect(await contents(user([part('a BAD W'), part('ORD b')]))).toEqual([
      [part('a [WORD_1]'), part(' b')],
    ]);
    expect(await contents(user('a BAD'), user('LINE b'))).toEqual(['a [WORD_1]', ' b']);
    expect(await contents(user([...'a BAD WORD b'].map(part)))).toEqual([
      [...'a ', '[WORD_1]', ...Array.from({ length: 7 }, () => ''), ...' b'].map(part),
    ]);
  });

  it('counts once, and has the number of the same thing elsewhere', async () => {
    expect(await contents(user('BAD WORD, BAD W'), user('ORD; BAD WORD'))).toEqual([
      '[WORD_1], [WORD_1]',
      '; [WORD_1]',
    ]);
  });

  it('does not hide what one text says by itself', async () => {
    const card = wordsGuardrail(['42'], { action: 'redact' });
    const body = await inspected(card, { messages: [user([part('a 42'), part('1 b')])] });
    expect(body.messages).toEqual([user([part('a [WORD_1]'), part('1 b')])]);
  });
});
