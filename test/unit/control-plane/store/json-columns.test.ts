import { describe, expect, it } from 'vitest';
import { jsonColumn, StoredJsonError, strings } from '../../../../control-plane/store/json-columns.ts';
import { aMessage } from '../../../../proto/json/message-shape.ts';

const keysOf = jsonColumn('guardrails', 'key_ids', strings);
const checkOf = jsonColumn('guardrails', 'check_message', aMessage<object>('GuardrailCheck'));
const pricesOf = jsonColumn('prices', 'prices', aMessage<object>('ModelPrices'));

describe('a JSON column', () => {
  it('is read with the value that was written', () => {
    expect(keysOf({ id: 'g1', key_ids: '["a","b"]' })).toEqual(['a', 'b']);
  });

  it('is refused with its table, column and id, and without its content', () => {
    expect(() => keysOf({ id: 'g1', key_ids: '["a",{"secret":"sk-1"}]' })).toThrow(
      new StoredJsonError('guardrails.key_ids of g1: [1] must be a string'),
    );
    expect(() => keysOf({ id: 'g1', key_ids: 'sk-1' })).toThrow(
      new StoredJsonError('guardrails.key_ids of g1: is no JSON'),
    );
    expect(() => keysOf({ key_ids: '{}' }, 'g2')).toThrow('guardrails.key_ids of g2: must be a list');
  });
});

describe('a stored message of the contract', () => {
  it.each([
    '{"words":{"phrases":["heron"],"withinWords":false},"also":["GUARDRAIL_FIELD_USER"]}',
    // Stored before secret forms existed, and by a version with another kind.
    '{"secrets":{},"pattern":null,"links":{"hosts":[1]}}',
    '{"service":{"adapter":"presidio","options":{"language":"en"},"labels":[],"scoreMin":0.5,"timeoutMs":100}}',
  ])('may lack fields and have unknown ones: %s', (text) => {
    expect(checkOf({ id: 'g1', check_message: text })).toEqual(JSON.parse(text));
  });

  it.each([
    ['{"words":{"phrases":"sk-1"}}', 'words.phrases must be a list'],
    ['{"service":{"options":{"sk-1":1}}}', 'service.options[…] must be a string'],
    ['{"moderation":{"scoreMin":"high"}}', 'moderation.scoreMin must be a number'],
    ['{"personalData":{"restore":1}}', 'personalData.restore must be true or false'],
    ['{"also":[4]}', 'also[0] must be a string'],
  ])('is refused when a field has another type: %s', (text, problem) => {
    expect(() => checkOf({ id: 'g1', check_message: text })).toThrow(`guardrails.check_message of g1: ${problem}`);
  });

  it('is checked at every depth', () => {
    const text = '{"input":"1","output":"2","serviceTiers":{"flex":{"tiers":[{"input":3}]}}}';
    expect(() => pricesOf({ id: 'p1', prices: text })).toThrow(
      'prices.prices of p1: serviceTiers[…].tiers[0].input must be a string',
    );
  });
});
