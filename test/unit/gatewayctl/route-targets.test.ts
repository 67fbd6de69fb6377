import { describe, expect, it } from 'vitest';
import { groupText, readTarget } from '../../../gatewayctl/route-targets.ts';

const model = 'gpt-provider/gpt-4o';

describe('a target of a route as it is typed', () => {
  it.each<[string, object]>([
    [model, { target: { model }, key: undefined }],
    [`${model}=80`, { target: { model, weight: 80 }, key: undefined }],
    [`${model},key=main key`, { target: { model }, key: 'main key' }],
    [
      `managed-cloud-models/arn:aws:bedrock:us-east-1::foundation-model/a-v1:0=1,key=eu,max-output-tokens=100,effort=xhigh,first-token=5s,between-tokens=250ms,whole=2m`,
      {
        target: {
          ...{ model: 'managed-cloud-models/arn:aws:bedrock:us-east-1::foundation-model/a-v1:0', weight: 1 },
          ...{ maxOutputTokens: 100, reasoningEffort: 'REASONING_EFFORT_XHIGH' },
          ...{ firstTokenMs: 5000, betweenTokensMs: 250, wholeMs: 120_000 },
        },
        key: 'eu',
      },
    ],
  ])('%s is read', (text, read) => {
    expect(readTarget(text, true)).toEqual(read);
  });

  it.each([
    ['', 'a model'],
    [`${model}=some`, 'whole numbers'],
    [`${model}=`, 'whole numbers'],
    [`${model},weight=3`, 'max-output-tokens'],
    [`${model},fast`, 'max-output-tokens'],
    [`${model},toString=1`, 'max-output-tokens'],
    [`${model},effort=huge`, 'minimal'],
    [`${model},max-output-tokens=1k`, 'whole numbers'],
    [`${model},whole=5`, 'a duration'],
  ])('%j is refused with the accepted form', (text, form) => {
    expect(() => readTarget(text, true)).toThrow(form);
  });

  it('has no weight if it is tried alone', () => {
    expect(readTarget(model, false)).toEqual({ target: { model }, key: undefined });
    expect(() => readTarget(`${model}=80`, false)).toThrow('--split');
  });
});

describe('a group of a route', () => {
  it('is shown as its targets are typed', () => {
    const text = `${model}=80,key=k,max-output-tokens=100,effort=low,first-token=5000ms,whole=60000ms`;
    const { target } = readTarget(text, true);
    const other = { model: 'acme/llama', weight: 20 };
    expect(groupText({ targets: [{ ...target, providerKeyId: 'k' }, other] })).toBe(`${text} + acme/llama=20`);
  });

  it('is shown with its conditions', () => {
    const targets = [{ model, weight: 1 }];
    const scope = { kind: 'KEY_SCOPE_KIND_AI_SYSTEM', id: 'x' };
    const conditions = { streamed: true, hasImages: false, hasTools: true, tokensAbove: 0, tag: 'eu', scope };
    expect(groupText({ targets, conditions })).toBe(
      `${model}=1 if streamed, not with images, with tools, over 0 tokens, tag eu, scope ai-system x`,
    );
    expect(groupText({ targets, conditions: null })).toBe(`${model}=1`);
  });
});
