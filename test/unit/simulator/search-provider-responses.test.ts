// Responses of the simulated search vendor: texts, thoughts, structured responses and calls.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { type Behaviour, type Simulator, startSimulator } from '../../../simulator/index.ts';

import { type Generated, generated, type Json, type Part, post, valid } from './post-generate.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
});
afterAll(() => simulator.close());
beforeEach(() => simulator.reset());

const responseTo = (change: object = {}, model?: string) => generated(simulator, change, model);
const partsOf = ({ candidates: [first] }: Generated): readonly Part[] => first.content?.parts ?? [];
const textOf = (response: Generated) =>
  partsOf(response)
    .map((part) => (part.thought ? '' : part.text))
    .join('');
const directed = (simulate: Behaviour) => ({
  contents: [{ role: 'user', parts: [{ text: JSON.stringify({ simulate }) }] }],
});
const config = (fields: object) => ({ generationConfig: fields });
const flash35 = 'gemini-3.5-flash';

describe('response texts of the search provider', () => {
  it('state that they are simulated, and are the same for the same request', async () => {
    const response = await responseTo();
    expect(textOf(response)).toContain('simulated');
    expect(textOf(response)).toContain('gemini-2.5-flash');
    expect(textOf(response)).not.toContain('hello');
    expect(textOf(await responseTo())).toBe(textOf(response));
    expect(response).toMatchObject({
      candidates: [{ finishReason: 'STOP', index: 0, content: { role: 'model' } }],
    });
  });

  it('come from the model behind an alias, each with its own id', async () => {
    const first = await responseTo({}, 'gemini-pro-latest');
    expect(first.modelVersion).toBe('gemini-3.1-pro-preview');
    expect((await responseTo()).responseId).not.toBe(first.responseId);
  });

  it('are the scripted ones, or those requested in the last message', async () => {
    simulator.script({ text: 'Scripted.' });
    expect(textOf(await responseTo())).toBe('Scripted.');
    expect(textOf(await responseTo(directed({ text: 'Directed.' })))).toBe('Directed.');
    expect(textOf(await responseTo(directed({ tokens: 3, tokenBytes: 4 })))).toBe('toketoketoke');
  });

  it('report a malformed directive', async () => {
    const response = await post(simulator, { body: directed({ txt: 'a' } as Behaviour) });
    expect([response.status, response.text]).toEqual([400, expect.stringContaining("simulate has no field 'txt'")]);
  });

  it('stop at the token limit, and report it', async () => {
    const response = await responseTo(config({ maxOutputTokens: 5 }), 'gemini-2.0-flash');
    expect(response.candidates[0]).toMatchObject({
      finishReason: 'MAX_TOKENS',
      content: { parts: [{ text: 'This is a simulated ' }] },
    });
    expect(response.usageMetadata.candidatesTokenCount).toBe(5);
  });

  it('stop before a stop sequence', async () => {
    const response = await responseTo(config({ stopSequences: ['nowhere', ' simulated'] }));
    expect([textOf(response), response.candidates[0].finishReason]).toEqual(['This is a', 'STOP']);
    const limits = config({ stopSequences: [' simulated'], maxOutputTokens: 5 });
    expect((await responseTo(limits, 'gemini-2.0-flash')).candidates[0].finishReason).toBe('STOP');
  });

  it('come as several candidates, and cost as many times the tokens', async () => {
    const one = await responseTo({}, 'gemini-2.0-flash');
    const three = await responseTo(config({ candidateCount: 3 }), 'gemini-2.0-flash');
    expect(three.candidates.map((candidate) => candidate.index)).toEqual([0, 1, 2]);
    expect(three.usageMetadata.candidatesTokenCount).toBe((one.usageMetadata.candidatesTokenCount ?? 0) * 3);
  });

  it('contain the requested log probabilities', async () => {
    const fields = config({ responseLogprobs: true, logprobs: 2 });
    const [candidate] = (await responseTo(fields, 'gemini-2.0-flash')).candidates;
    const { chosenCandidates, topCandidates } = candidate.logprobsResult as Record<string, Json[]>;
    expect(chosenCandidates?.map((one) => one.token).join('')).toContain('simulated');
    expect(topCandidates?.[0]).toMatchObject({ candidates: [{}, {}] });
    expect(candidate.avgLogprobs).toBe(-0.01);
  });

  it('show the received request when scripted to echo, with a hash instead of the key', async () => {
    simulator.script({ echo: true });
    const text = textOf(await responseTo());
    expect(JSON.parse(text)).toMatchObject({ method: 'POST', body: JSON.stringify(valid) });
    expect(text).not.toContain('AIzaSimTest');
  });
});

describe('thinking of the search provider', () => {
  const thinking = (fields: object) => config({ thinkingConfig: fields });

  it('is counted, and shown only when requested', async () => {
    const silent = await responseTo();
    expect([partsOf(silent).length, silent.usageMetadata.thoughtsTokenCount]).toEqual([1, 64]);
    const [thought, text] = partsOf(await responseTo(thinking({ includeThoughts: true })));
    expect(thought).toEqual({ text: expect.stringContaining('simulated'), thought: true });
    expect(text).not.toHaveProperty('thought');
  });

  it.each([
    [thinking({ thinkingBudget: 0 }), 'gemini-2.5-flash', undefined],
    [thinking({ thinkingBudget: 10 }), 'gemini-2.5-flash', 10],
    [{}, 'gemini-2.5-flash-lite', undefined],
    [thinking({ thinkingBudget: -1 }), 'gemini-2.5-flash-lite', 64],
    [thinking({ thinkingLevel: 'LOW' }), flash35, 16],
    [thinking({ thinkingLevel: 'HIGH' }), flash35, 256],
    [thinking({ thinkingLevel: 'MINIMAL' }), flash35, undefined],
    [{}, 'gemini-3.1-pro-preview', 256],
    [{}, 'gemini-2.0-flash', undefined],
  ])('with %j by %s costs %s tokens', async (change, model, tokens) => {
    const { usageMetadata } = await responseTo(change, model);
    expect(usageMetadata.thoughtsTokenCount).toBe(tokens);
  });

  it('is the scripted one', async () => {
    simulator.script({ reasoning: 'Weighing kettles.', text: 'On it.' });
    const response = await responseTo(thinking({ includeThoughts: true }));
    expect(partsOf(response)).toEqual([{ text: 'Weighing kettles.', thought: true }, { text: 'On it.' }]);
    expect(response.usageMetadata.thoughtsTokenCount).toBe(5);
  });

  it('up to the token limit leaves a candidate without parts', async () => {
    const response = await responseTo(config({ maxOutputTokens: 10 }));
    expect(response.candidates).toEqual([{ content: { role: 'model' }, finishReason: 'MAX_TOKENS', index: 0 }]);
    expect(response.usageMetadata).toEqual({
      promptTokenCount: 2,
      thoughtsTokenCount: 10,
      totalTokenCount: 12,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: 2 }],
    });
  });
});

describe('structured responses of the search provider', () => {
  const json = (fields: object) => config({ responseMimeType: 'application/json', ...fields });

  it('are an object when only JSON is requested', async () => {
    expect(JSON.parse(textOf(await responseTo(json({}))))).toEqual({
      simulated: true,
      model: 'gemini-2.5-flash',
    });
  });

  it.each([
    [
      'responseSchema',
      {
        type: 'OBJECT',
        properties: {
          name: { type: 'STRING' },
          cups: { type: 'INTEGER', minimum: 2 },
          leaves: { type: 'ARRAY', items: { type: 'STRING', enum: ['green'] }, minItems: '1' },
        },
        required: ['name', 'cups', 'leaves'],
      },
    ],
    [
      'responseJsonSchema',
      {
        type: 'object',
        properties: {
          name: { type: 'string' },
          cups: { type: 'integer', minimum: 2 },
          leaves: { type: 'array', items: { $ref: '#/$defs/leaf' }, minItems: 1 },
        },
        required: ['name', 'cups', 'leaves'],
        $defs: { leaf: { enum: ['green'] } },
      },
    ],
  ])('match %s', async (field, schema) => {
    const response = await responseTo(json({ [field]: schema }));
    expect(JSON.parse(textOf(response))).toEqual({ name: 'simulated', cups: 2, leaves: ['green'] });
  });

  it('are one of the allowed words', async () => {
    const responseSchema = { type: 'STRING', enum: ['green', 'black'] };
    expect(textOf(await responseTo(config({ responseMimeType: 'text/x.enum', responseSchema })))).toBe('green');
  });
});

describe('function calls of the search provider', () => {
  const cups = { type: 'object', properties: { cups: { type: 'integer', minimum: 1 } }, required: ['cups'] };
  const tools = [{ functionDeclarations: [{ name: 'boil', parametersJsonSchema: cups }, { name: 'stir' }] }];
  const mode = (functionCallingConfig: object) => ({ tools, toolConfig: { functionCallingConfig } });
  const boil = { name: 'boil', args: { cups: 1 } };

  it.each<readonly [string, object, readonly object[]]>([
    ['none of its own', { tools }, []],
    ['none with AUTO', mode({ mode: 'AUTO' }), []],
    ['none with VALIDATED', mode({ mode: 'VALIDATED' }), []],
    ['none with NONE', mode({ mode: 'NONE' }), []],
    ['the first with ANY', mode({ mode: 'ANY' }), [boil]],
    ['the one allowed', mode({ mode: 'ANY', allowedFunctionNames: ['stir'] }), [{ name: 'stir', args: {} }]],
    [
      'all that are allowed',
      mode({ mode: 'ANY', allowedFunctionNames: ['stir', 'boil'] }),
      [boil, { name: 'stir', args: {} }],
    ],
  ])('are %s, and end with STOP', async (_name, change, calls) => {
    const response = await responseTo(change);
    expect(partsOf(response).flatMap((part) => part.functionCall ?? [])).toEqual(calls);
    expect(response.candidates[0].finishReason).toBe('STOP');
    expect(textOf(response) === '').toBe(calls.length > 0);
  });

  it('have an id and a signature on the first call, for a model that signs', async () => {
    const [first, second] = partsOf(
      await responseTo(mode({ mode: 'ANY', allowedFunctionNames: ['boil', 'stir'] }), flash35),
    );
    expect(first).toEqual({
      functionCall: { id: expect.stringMatching(/^fc-/), ...boil },
      thoughtSignature: expect.any(String),
    });
    expect(second).toEqual({ functionCall: { id: expect.stringMatching(/^fc-/), name: 'stir', args: {} } });
    expect(first?.functionCall?.id).not.toBe(second?.functionCall?.id);
  });

  it('have a signature of an older model while it thinks with tools, and no id', async () => {
    const [thinks] = partsOf(await responseTo(mode({ mode: 'ANY' })));
    expect(thinks).toEqual({ functionCall: boil, thoughtSignature: expect.any(String) });
    const off = { ...mode({ mode: 'ANY' }), ...config({ thinkingConfig: { thinkingBudget: 0 } }) };
    expect(partsOf(await responseTo(off))).toEqual([{ functionCall: boil }]);
  });

  it('are the scripted ones, beside text', async () => {
    simulator.script({ text: 'On it.', toolCalls: [{ name: 'pour', arguments: '{"cups":2}' }] });
    expect(partsOf(await responseTo({}, 'gemini-2.0-flash'))).toEqual([
      { text: 'On it.' },
      { functionCall: { name: 'pour', args: { cups: 2 } } },
    ]);
    const response = await post(simulator, {
      body: directed({ toolCalls: [{ name: 'pour', arguments: '[1' }] }),
    });
    expect([response.status, response.text]).toEqual([400, expect.stringContaining('no JSON object')]);
  });
});
