import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../common/json.ts';
import { CapabilityTable } from '../../../../../proxy/catalog/capabilities.ts';
import { optionsOf } from '../../../../../proxy/conversation/request.ts';
import { noThinking, readThinking } from '../../../../../proxy/models/claude/thinking.ts';

const capabilities = new CapabilityTable();
const read = (model: string, body: JsonObject, maxTokens = 10_000) =>
  readThinking(optionsOf(body), capabilities.of('assistant-provider', model), maxTokens);
const budget = (tokens: number) => ({
  config: { type: 'enabled', budget_tokens: tokens },
  effort: undefined,
  on: true,
  dropped: [],
});
const adaptive = (effort?: string) => ({
  config: { type: 'adaptive', display: 'summarized' },
  effort,
  on: true,
  dropped: [],
});
const off = { config: undefined, effort: undefined, on: false, dropped: [] };
const refused = (param: string) => expect.objectContaining({ code: 'invalid_request', param });

describe('a reasoning effort for a Claude model', () => {
  it.each([
    ['minimal', budget(1024), adaptive('low'), adaptive('low')],
    ['low', budget(1024), adaptive('low'), adaptive('low')],
    ['medium', budget(3000), adaptive('medium'), adaptive('medium')],
    ['high', budget(6000), adaptive('high'), adaptive('high')],
    ['xhigh', budget(9000), adaptive('high'), adaptive('xhigh')],
    ['max', budget(9000), adaptive('max'), adaptive('max')],
  ])('of %s becomes a budget, or the nearest effort that the model accepts', (effort, within, older, newer) => {
    const body = { reasoning_effort: effort };
    expect(read('claude-sonnet-4-5', body)).toEqual(within);
    expect(read('claude-opus-4-6', body)).toEqual(older);
    expect(read('claude-opus-4-8', body)).toEqual(newer);
  });

  it.each([
    ['claude-sonnet-4-5', off],
    ['claude-3-haiku-20240307', off],
    ['claude-opus-4-7', { ...off, config: { type: 'disabled' } }],
    ['claude-sonnet-5', { ...off, config: { type: 'disabled' } }],
    ['claude-haiku-5-5', { ...off, config: { type: 'disabled' } }],
    ['claude-sonnet-5-5', { ...off, config: { type: 'between_tools' } }],
    ['claude-opus-5-5', { ...off, effort: 'low', dropped: ['reasoning_effort'] }],
    ['claude-fable-5', { ...off, effort: 'low', dropped: ['reasoning_effort'] }],
    ['claude-new-9', { ...off, effort: 'low', dropped: ['reasoning_effort'] }],
  ])('of none disables thinking as far as %s allows', (model, expected) => {
    expect(read(model, { reasoning_effort: 'none' })).toEqual(expected);
  });

  it('is dropped when the model does not think, or the output limit is too small for it', () => {
    expect(read('claude-3-haiku-20240307', { reasoning_effort: 'high' })).toEqual({
      ...off,
      dropped: ['reasoning_effort'],
    });
    expect(read('claude-sonnet-4-5', { reasoning_effort: 'high' }, 1024)).toEqual({
      ...off,
      dropped: ['reasoning_effort'],
    });
    expect(read('claude-sonnet-4-5', { reasoning_effort: 'high' }, 1025)).toEqual(budget(1024));
  });

  it('that is absent leaves the model’s default', () => {
    expect(read('claude-sonnet-5', {})).toEqual(off);
    expect(read('claude-sonnet-5', { reasoning_effort: null, thinking: null })).toEqual(off);
  });
});

describe('the vendor’s own thinking field', () => {
  const enabled = { type: 'enabled', budget_tokens: 2000 };

  it.each([
    ['is sent unchanged', 'claude-sonnet-4-5', { thinking: enabled }, budget(2000)],
    [
      'leaves room for the response',
      'claude-sonnet-4-5',
      { thinking: { ...enabled, budget_tokens: 50_000 } },
      budget(9000),
    ],
    [
      'shows as much as requested',
      'claude-opus-4-8',
      { thinking: { type: 'adaptive', display: 'omitted' } },
      { ...adaptive(), config: { type: 'adaptive', display: 'omitted' } },
    ],
    [
      'has its budget dropped where the model has none',
      'claude-opus-4-8',
      { thinking: enabled },
      { ...adaptive(), dropped: ['thinking.budget_tokens'] },
    ],
    [
      'becomes a budget where the model wants one',
      'claude-sonnet-4-5',
      { thinking: { type: 'adaptive' } },
      budget(3000),
    ],
    [
      'gets its amount from the effort',
      'claude-opus-4-8',
      { thinking: { type: 'adaptive' }, reasoning_effort: 'max' },
      adaptive('max'),
    ],
    [
      'decides where the two contradict',
      'claude-opus-4-8',
      { thinking: { type: 'disabled' }, reasoning_effort: 'max' },
      { ...off, config: { type: 'disabled' }, dropped: ['reasoning_effort'] },
    ],
    [
      'is dropped where the model does not think',
      'claude-3-haiku-20240307',
      { thinking: enabled, reasoning_effort: 'low' },
      { ...off, dropped: ['reasoning_effort', 'thinking'] },
    ],
  ])('is mapped: it %s', (_what, model, body, expected) => {
    expect(read(model, body)).toEqual(expected);
  });

  it.each([
    [{ thinking: true }, 'thinking'],
    [{ thinking: {} }, 'thinking.type'],
    [{ thinking: { type: 'on' } }, 'thinking.type'],
    [{ thinking: { type: 'enabled' } }, 'thinking.budget_tokens'],
    [{ thinking: { ...enabled, budget_tokens: 1023 } }, 'thinking.budget_tokens'],
    [{ thinking: { ...enabled, budget_tokens: '2000' } }, 'thinking.budget_tokens'],
    [{ thinking: { type: 'adaptive', display: 'all' } }, 'thinking.display'],
    [{ reasoning_effort: 'huge' }, 'reasoning_effort'],
  ])('is checked: %j', (body, param) => {
    expect(() => read('claude-opus-4-8', body)).toThrow(refused(param));
    expect(() => noThinking(optionsOf(body))).toThrow(refused(param));
  });
});

describe('an output without thinking', () => {
  it('is reported as dropped only when thinking was requested', () => {
    expect(noThinking(optionsOf({ reasoning_effort: 'low' }))).toEqual({
      ...off,
      dropped: ['reasoning_effort'],
    });
    expect(noThinking(optionsOf({ reasoning_effort: 'none' }))).toEqual(off);
    expect(noThinking(optionsOf({}))).toEqual(off);
  });
});
