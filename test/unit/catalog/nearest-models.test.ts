// For an unknown model name: which models the caller may have meant, and whether the name is a slip or a model newer
// than the catalog.
import { describe, expect, it } from 'vitest';
import { chatModels } from '../../../catalog/model-names.ts';
import { isSlip, isSlipOf, nearestModels } from '../../../catalog/nearest-models.ts';
import { editDistance, nearest } from '../../../common/nearest.ts';

describe('the nearest models', () => {
  it.each([
    ['gpt-provider/gpt-4o-minni', 'gpt-provider/gpt-4o-mini'],
    ['gpt-provider/gtp-4o', 'gpt-provider/gpt-4o'],
    ['openai/gpt4o', 'gpt-provider/gpt-4o'],
    ['opnai/gpt-4o', 'gpt-provider/gpt-4o'],
    ['gpt-4o', 'gpt-provider/gpt-4o'],
    ['assistant-provider/claude-4-5-sonnet', 'assistant-provider/claude-sonnet-4-5'],
    ['azure/gpt-4o-minni', 'studio-ai/gpt-4o-mini'],
    ['assistant-provider/gpt-4o', 'gpt-provider/gpt-4o'],
    ['bedrock/anthropc.claude-opus-5', 'managed-cloud-models/anthropic.claude-opus-5'],
    ['search-provider/gemini-2.5-falsh', 'search-provider/gemini-2.5-flash'],
    ['gpt-4.1-min*', 'gpt-provider/gpt-4.1-mini'],
  ])('to %s begin with %s', (requested, first) => {
    const near = nearestModels(requested, chatModels());
    expect(near[0]).toBe(first);
    expect(near.length).toBeLessThanOrEqual(3);
  });

  it('are none when no name is similar', () => {
    expect(nearestModels('gpt-provider/nope', chatModels())).toEqual([]);
    expect(nearestModels('', chatModels())).toEqual([]);
    expect(nearestModels('*', chatModels())).toEqual([]);
  });

  it('are only those that the caller’s filter accepts', () => {
    const near = nearestModels('gpt-4o-minni', chatModels(), (name) => name.startsWith('studio-ai/'));
    expect(near[0]).toBe('studio-ai/gpt-4o-mini');
    for (const name of near) expect(name).toMatch(/^studio-ai\//);
  });
});

describe('a model that the catalog does not contain', () => {
  it.each([
    ['gpt-provider/nope', 'of no family that the vendor has'],
    ['gpt-provider/gpt-4o-minni', 'a letter too many'],
    ['gpt-provider/gtp-4o', 'two letters swapped'],
    ['gpt-provider/gpt4o', 'a letter too few'],
    ['gpt-provider/claude-opus-5', 'of another vendor'],
    ['assistant-provider/claude-sonet-5', 'a letter too few'],
    ['managed-cloud-models/anthropc.claude-opus-5', 'a letter too few'],
  ])('is a slip: %s, %s', (model) => {
    expect(isSlip(model)).toBe(true);
  });

  it.each([
    'gpt-provider/gpt-7',
    'gpt-provider/gpt-6.3-sol',
    'gpt-provider/o5-mini',
    'assistant-provider/claude-haiku-6',
    'assistant-provider/claude-opus-5-20270131',
    'search-provider/gemini-5-flash-lite',
    'managed-cloud-models/anthropic.claude-opus-5-5',
    'gpt-provider/gpt-7-omega',
  ])('may be a new model: %s', (model) => {
    expect(isSlip(model)).toBe(false);
  });

  it.each([
    'studio-ai/gpt-4o-minni',
    'managed-cloud-models/arn:aws:bedrock:us-east-1:1:imported-model/x',
    'gpt-provider/ft:gpt-9:acme::b1',
  ])('is no slip where the operator chooses the names: %s', (model) => {
    expect(isSlip(model)).toBe(false);
  });

  it('of a custom provider is a slip when it is near to a model of the provider’s list', () => {
    expect(isSlipOf('lama-3.3-70b', ['llama-3.3-70b'])).toBe(true);
    expect(isSlipOf('llama-4-70b', ['llama-3.3-70b'])).toBe(false);
    expect(isSlipOf('mistral', ['llama-3.3-70b'])).toBe(false);
    expect(isSlipOf('mistral', [])).toBe(false);
  });
});

describe('the distance between two texts', () => {
  it.each([
    ['', '', 0],
    ['abc', 'abc', 0],
    ['abc', '', 3],
    ['abc', 'acb', 1],
    ['abc', 'abx', 1],
    ['abc', 'xabc', 1],
    ['kitten', 'sitting', 3],
  ])('of %j and %j is %i', (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance);
    expect(editDistance(b, a)).toBe(distance);
  });

  it('compares at most a hundred characters', () => {
    expect(editDistance('a'.repeat(1000), 'b'.repeat(1000))).toBe(100);
  });
});

it('nearest() calls its filter for at most a hundred names', () => {
  let requested = 0;
  const names = Array.from({ length: 1000 }, (_, index) => `model-${index}`);
  expect(nearest('model-5', names, 3, () => ++requested > 1e9)).toEqual([]);
  expect(requested).toBe(100);
});
