// A match that is split where one text of a request ends and the next begins.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../common/json.ts';
import { inspected, phrasesGuardrail } from '../../../support/guarded-requests.ts';

const guard = (action: 'block' | 'redact') => phrasesGuardrail(['BAD WORD', 'BAD\nLINE'], { action });
const user = (content: unknown) => ({ role: 'user', content });
const part = (text: string) => ({ type: 'text', text });
const isBlocked = (...messages: readonly JsonObject[]) =>
  inspected(guard('block'), { messages }).then(
    () => false,
    (error: unknown) => {
      expect(error).toMatchObject({ code: 'guardrail_blocked' });
      return true;
    },
  );
const contents = async (...messages: readonly JsonObject[]) => {
  const body = await inspected(guard('redact'), { messages });
  return Array.isArray(body.messages) ? body.messages.map((one: JsonObject) => one.content) : [];
};

describe('a phrase is found across a join', () => {
  it('of the parts of one message', async () => {
    expect(await isBlocked(user([part('a BAD W'), part('ORD')]))).toBe(true);
  });

  it('over parts that are not text, and over empty parts', async () => {
    const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
    expect(await isBlocked(user([part('a BAD W'), image, part(''), part('ORD')]))).toBe(true);
  });

  it('of consecutive messages in one role', async () => {
    expect(await isBlocked(user('a BAD '), user('WORD'))).toBe(true);
    const result = (content: string) => ({ role: 'tool', tool_call_id: 'c', content });
    expect(await isBlocked(result('a BAD '), { ...result('WORD'), role: 'function' })).toBe(true);
  });

  it('with a line break between the texts, because vendors join them with one too', async () => {
    expect(await isBlocked(user('BAD'), user('LINE'))).toBe(true);
  });

  it('of a content and a refusal', async () => {
    expect(await isBlocked({ role: 'assistant', content: 'BAD ', refusal: 'WORD' })).toBe(true);
  });

  it('of all system messages, and of a user’s messages around a system message', async () => {
    const system = { role: 'system', content: 'BAD ' };
    const developer = { role: 'developer', content: 'WORD' };
    expect(await isBlocked(system, user('x'), developer)).toBe(true);
    expect(await isBlocked(user('BAD '), { role: 'system', content: 'x' }, user('WORD'))).toBe(true);
  });

  it('of any number of pieces, down to single letters', async () => {
    expect(await isBlocked(user([...'a BAD WORD'].map(part)))).toBe(true);
    expect(await isBlocked(...[...'a BAD WORD'].map(user))).toBe(true);
  });

  it('but not of different roles or different fields', async () => {
    expect(await isBlocked(user('BAD '), { role: 'assistant', content: 'WORD' })).toBe(false);
    expect(await isBlocked({ role: 'assistant', content: 'BAD ', reasoning_content: 'WORD' })).toBe(false);
  });

  it('beside long texts only when the match is short enough', async () => {
    const long = 'x'.repeat(5_000);
    expect(await isBlocked(user([part(`${long} BAD `), part(`WORD ${long}`), part('BAD '), part('WORD')]))).toBe(true);
    expect(await isBlocked(user([part(`${long}BAD `), part('WO'), part(`RD${long}`)]))).toBe(true);
    expect(await isBlocked(user([part(long), part(long)]))).toBe(false);
  });
});

describe('a match across a join', () => {
  it('is replaced where it begins, and the rest of it is removed', async () => {
    expect(await contents(user([part('a BAD W'), part('ORD b')]))).toEqual([[part('a [WORD_1]'), part(' b')]]);
    expect(await contents(user('a BAD'), user('LINE b'))).toEqual(['a [WORD_1]', ' b']);
    expect(await contents(user([...'a BAD WORD b'].map(part)))).toEqual([
      [...'a ', '[WORD_1]', ...Array.from({ length: 7 }, () => ''), ...' b'].map(part),
    ]);
  });

  it('counts once, and has the number of the same match elsewhere', async () => {
    expect(await contents(user('BAD WORD, BAD W'), user('ORD; BAD WORD'))).toEqual([
      '[WORD_1], [WORD_1]',
      '; [WORD_1]',
    ]);
  });

  it('does not hide a match inside one text', async () => {
    const card = phrasesGuardrail(['42'], { action: 'redact' });
    const body = await inspected(card, { messages: [user([part('a 42'), part('1 b')])] });
    expect(body.messages).toEqual([user([part('a [WORD_1]'), part('1 b')])]);
  });
});
