import { describe, expect, it } from 'vitest';
import { parseError, readEnvelope } from '../../../../proxy/formats/gpt-error.ts';

const envelopeOf = (body: unknown) => readEnvelope(parseError(Buffer.from(JSON.stringify(body))));

describe('the facts of an error that a server reports', () => {
  it.each<[string, unknown, object]>([
    ['in full', { error: { message: 'm', type: 't', param: 'p', code: 'c' } }, { message: 'm', param: 'p', code: 'c' }],
    ['by code and message', { error: { code: 'c', message: 'm' } }, { message: 'm', code: 'c' }],
    ['as a text', { error: 'm' }, { message: 'm' }],
    ['flat', { statusCode: 401, message: 'm' }, { message: 'm' }],
    [
      'flat, with a code',
      { status: 400, code: 'c', message: 'm', param: 'p' },
      { message: 'm', param: 'p', code: 'c' },
    ],
    ['as a status', { status: 'm' }, { message: 'm' }],
    ['as a detail', { detail: 'm' }, { message: 'm' }],
    ['as a list of details', { detail: [{ loc: ['body', 'a', 0, 'b'], msg: 'm' }] }, { message: 'm', param: 'a[0].b' }],
    [
      'with its location beside it',
      { status: 422, code: 'c', message: 'm', detail: { loc: ['body', 'messages', 1, 'role'], input: 'x' } },
      { message: 'm', param: 'messages[1].role', code: 'c' },
    ],
    [
      'with details inside',
      { error: { code: 'c', message: 'm', status: 422, details: [{ loc: ['body', 'n'], msg: 'more' }, {}] } },
      { message: 'm: more', param: 'n', code: 'c' },
    ],
    ['with details that are a text', { error: { code: 'c', message: 'm', details: 'm' } }, { message: 'm', code: 'c' }],
    ['with its location outside it', { error: { message: 'm' }, detail: { loc: ['body'] } }, { message: 'm' }],
    ['with an invalid location', { error: { message: 'm', details: [{ loc: 'body' }] } }, { message: 'm' }],
    ['with a code that is a number', { error: { message: 'm', code: 404 } }, { message: 'm' }],
    ['in nothing', {}, {}],
    ['in a list', [{ error: { message: 'm' } }], {}],
    ['in null', null, {}],
    ['in empty texts', { error: { message: '', code: '', param: '' } }, {}],
  ])('are read from an error %s', (_how, body, expected) => {
    expect(envelopeOf(body)).toEqual({ message: undefined, param: undefined, code: undefined, ...expected });
  });

  it('are absent when the bytes are no JSON', () => {
    for (const bytes of [Buffer.from([0xff, 0x00]), Buffer.from('<html>'), Buffer.alloc(0)]) {
      expect(parseError(bytes)).toEqual({});
    }
  });
});
