import { describe, expect, it } from 'vitest';
import { findModel } from '../../../../proxy/catalog/models.ts';
import { parseChatRequest } from '../../../../proxy/formats/chat-completions/read-request.ts';
import { estimateTokens, fitGuess } from '../../../../proxy/rates/estimate.ts';

const messages = [{ role: 'user', content: 'Hello' }];
const catalogModel = findModel('gpt-provider', 'gpt-4o-mini');

function estimate(fields: object, model = catalogModel) {
  const bytes = Buffer.from(JSON.stringify({ model: 'm', messages, ...fields }));
  return estimateTokens({ request: parseChatRequest(bytes), catalogModel: model }, 8192);
}

describe('the estimated output of a request', () => {
  it.each<[string, object, number]>([
    ['the default where the caller sets none', {}, 8192],
    ['the caller’s maximum', { max_completion_tokens: 100 }, 100],
    ['the older name', { max_tokens: 200 }, 200],
    ['the newer name over the older', { max_completion_tokens: 100, max_tokens: 200 }, 100],
    ['the model’s maximum where that is less', { max_tokens: 1_000_000 }, 16_384],
    ['once for each choice', { max_tokens: 100, n: 3 }, 300],
    ['the default for what providers will refuse', { max_tokens: 'many', n: -1 }, 8192],
    ['the default for none at all', { max_tokens: null, n: null }, 8192],
  ])('is %s', (_what, fields, output) => {
    expect(estimate(fields).output).toBe(output);
  });

  it('for a model outside the catalog is the default or the caller’s maximum', () => {
    const bytes = Buffer.from(JSON.stringify({ model: 'm', messages, max_tokens: 1_000_000 }));
    const request = parseChatRequest(bytes);
    expect(estimateTokens({ request, catalogModel: undefined }, 8192).output).toBe(1_000_000);
  });

  it('for a model with a smaller maximum than the default is that maximum', () => {
    const small = { ...catalogModel, limits: { maxOutputTokens: 4096 } } as typeof catalogModel;
    expect(estimate({}, small).output).toBe(4096);
  });
});

describe('a guessed output', () => {
  it.each<[string, object, number, number]>([
    ['is unchanged where it has room', {}, 100_000, 8192],
    ['just has room', {}, 8192, 8192],
    ['shrinks to the room beside the input', {}, 8191, 8191],
    ['shrinks with all its choices', { n: 4 }, 5000, 5000],
    ['is one token where no room remains', {}, 0, 1],
    ['is one token where the input has no room', {}, -1000, 1],
    ['is one also where a maximum is no number', { max_tokens: 'many' }, 500, 500],
    ['is not what the caller has set', { max_tokens: 900 }, 500, 900],
  ])('is fitted to a limit: it %s', (_what, fields, room, output) => {
    const whole = estimate(fields);
    expect(fitGuess(whole, whole.input + room)).toMatchObject({ input: whole.input, output });
  });
});

describe('the estimated input of a request', () => {
  it('is a quarter of the bytes, plus an allowance for each message', () => {
    const content = 'x'.repeat(4_000);
    const [one, two] = [
      estimate({ messages: [{ role: 'user', content }] }).input,
      estimate({
        messages: [
          { role: 'user', content },
          { role: 'user', content },
        ],
      }).input,
    ];
    expect(one).toBeGreaterThan(1_000 + 16);
    expect(one).toBeLessThan(1_000 + 16 + 20);
    expect(two - one).toBeGreaterThan(1_000 + 16);
    expect(two - one).toBeLessThan(1_000 + 16 + 20);
  });

  it.each([
    ['an image', { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(1_000_000)}` } }],
    ['an image with a URL instead of an object', { type: 'image_url', image_url: 'https://pictures.example/1' }],
    ['sound', { type: 'input_audio', input_audio: { data: 'A'.repeat(1_000_000), format: 'wav' } }],
    ['a file', { type: 'file', file: { file_data: 'A'.repeat(1_000_000), filename: 'a.pdf' } }],
  ])('of %s is an allowance, whatever its bytes', (_what, part) => {
    const { input } = estimate({
      messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }, part] }],
    });
    expect(input).toBeGreaterThan(1_500);
    expect(input).toBeLessThan(1_600);
  });

  it('of malformed parts is estimated by their bytes', () => {
    const content = [{ type: 'image_url' }, { type: 'input_audio', input_audio: 5 }, { type: 'file', file: [] }];
    expect(estimate({ messages: [{ role: 'user', content }] }).input).toBeLessThan(100);
  });
});
