import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../common/json.ts';
import { CapabilityTable } from '../../../../../proxy/catalog/capabilities.ts';
import { optionsOf } from '../../../../../proxy/conversation/request.ts';
import { readSampling } from '../../../../../proxy/models/claude/sampling.ts';

const capabilities = new CapabilityTable();
const read = (model: string, body: JsonObject, thinking = false) =>
  readSampling(optionsOf(body), capabilities.of('assistant-provider', model), thinking);
const free = 'claude-opus-4-1';
const one = 'claude-sonnet-4-5';
const none = 'claude-opus-4-8';

describe('sampling options of a Claude model', () => {
  it.each([
    [
      'keeps both where the model accepts both',
      free,
      { temperature: 0.5, top_p: 0.5, top_k: 3 },
      { temperature: 0.5, topP: 0.5, topK: 3, dropped: [] },
    ],
    [
      'trap 21: clamps the temperature',
      free,
      { temperature: 1.7 },
      { temperature: 1, topP: undefined, topK: undefined, dropped: [] },
    ],
    [
      'keeps the temperature where the model accepts only one',
      one,
      { temperature: 0.5, top_p: 0.5 },
      { temperature: 0.5, topP: undefined, topK: undefined, dropped: ['top_p'] },
    ],
    [
      'does not miss a default',
      one,
      { temperature: 0.5, top_p: 1 },
      { temperature: 0.5, topP: undefined, topK: undefined, dropped: [] },
    ],
    [
      'prefers a value that is not the default',
      one,
      { temperature: 1, top_p: 0.5 },
      { temperature: undefined, topP: 0.5, topK: undefined, dropped: [] },
    ],
    ['keeps top_p alone', one, { top_p: 0.5 }, { temperature: undefined, topP: 0.5, topK: undefined, dropped: [] }],
    [
      'is dropped where the model accepts none',
      none,
      { temperature: 0.5, top_p: 0.5, top_k: 3 },
      {
        temperature: undefined,
        topP: undefined,
        topK: undefined,
        dropped: ['temperature', 'top_p', 'top_k'],
      },
    ],
    [
      'does not miss defaults there',
      none,
      { temperature: 1, top_p: 1 },
      { temperature: undefined, topP: undefined, topK: undefined, dropped: [] },
    ],
  ])('are read: sampling %s', (_what, model, body, expected) => {
    expect(read(model, body)).toEqual(expected);
  });

  it('are dropped while the model thinks', () => {
    const body = { temperature: 0.5, top_p: 0.5, top_k: 3 };
    expect(read(free, body, true)).toEqual(read(none, body));
  });

  it.each([
    [{ temperature: 2.1 }, 'temperature'],
    [{ temperature: '1' }, 'temperature'],
    [{ top_p: -1 }, 'top_p'],
    [{ top_k: 1.5 }, 'top_k'],
  ])('are checked for every model: %j', (body, param) => {
    for (const model of [free, none]) {
      expect(() => read(model, body)).toThrow(expect.objectContaining({ code: 'invalid_request', param }));
    }
  });
});
