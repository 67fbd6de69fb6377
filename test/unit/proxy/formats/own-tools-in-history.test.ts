// Tools of a vendor that a history offers, beside those of `tools`: they pass by the organization's settings, and count for
// its budgets.
import { describe, expect, it } from 'vitest';
import { clientFormats } from '../../../../proxy/client-formats.ts';
import { allOwnTools, noOwnTools, type OwnToolSettings } from '../../../../proxy/formats/own-tools.ts';
import { buildRequest } from '../../../../proxy/providers/provider.ts';
import { clientCallOf } from '../../../support/vendor-calls.ts';

const search = { type: 'web_search' };
const spec = { type: 'function', name: 'look', parameters: { type: 'object' }, strict: false };
const found = { type: 'tool_search_output', call_id: 'call_1', execution: 'client', status: 'completed' };
const responsesBody = {
  input: [
    { role: 'user', content: 'Hello' },
    { ...found, tools: [spec, search] },
  ],
};

const webSearch = { type: 'web_search_20250305', name: 'web_search', max_uses: 3 };
const addition = { type: 'tool_addition', tool: { type: 'tool_definition', definition: webSearch } };
const messagesBody = (block: object) => ({
  max_tokens: 100,
  messages: [
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: [block, { type: 'text', text: 'Hi' }] },
    { role: 'user', content: 'And?' },
  ],
});
const compaction = { type: 'compaction', content: 'They greeted.', tool_changes: [addition] };

async function written(format: 'messages' | 'responses', body: object, ownTools: OwnToolSettings) {
  const [vendor, model] =
    format === 'messages'
      ? (['assistant-provider', 'claude-sonnet-4-5'] as const)
      : (['gpt-provider', 'gpt-5'] as const);
  const call = clientCallOf(vendor, model, { format: clientFormats[format], body });
  return await buildRequest({ ...call, target: { ...call.target, ownTools } });
}

const offered = (format: 'messages' | 'responses', body: object) =>
  clientFormats[format].translation?.ownTools?.({ ...body }).map(({ at, usesMax }) => [at, usesMax]);

describe('tools that a client of Responses has found', () => {
  it('are taken out and named without the setting', async () => {
    const { body, dropped } = await written('responses', responsesBody, noOwnTools);
    expect(JSON.parse(body).input[1]).toEqual({ ...found, tools: [spec] });
    expect(dropped).toEqual(['tools.web_search']);
  });

  it('pass with it, and are counted', async () => {
    const { body, dropped } = await written('responses', responsesBody, allOwnTools);
    expect(JSON.parse(body).input[1]).toEqual({ ...found, tools: [spec, search] });
    expect(dropped).toEqual([]);
    expect(offered('responses', responsesBody)).toEqual([['input[1].tools[1]', undefined]]);
  });
});

describe.each([
  ['a message', addition, 'messages[1].content[0]', 'messages[1].content[0].tool.definition'],
  [
    'a summary',
    compaction,
    'messages[1].content[0].tool_changes[0]',
    'messages[1].content[0].tool_changes[0].tool.definition',
  ],
] as const)('a tool that %s of a Messages client adds', (_where, block, at, definition) => {
  it('is refused without the setting', async () => {
    await expect(written('messages', messagesBody(block), noOwnTools)).rejects.toMatchObject({
      code: 'unsupported_parameter',
      param: at,
    });
  });

  it('passes with it, and is counted', async () => {
    const { body } = await written('messages', messagesBody(block), allOwnTools);
    expect(body).toContain('"web_search_20250305"');
    expect(offered('messages', messagesBody(block))).toEqual([[definition, 3]]);
  });
});

it('a function of the caller’s own may be added in a message', async () => {
  const own = {
    type: 'tool_addition',
    tool: { type: 'tool_definition', definition: { name: 'look', input_schema: {} } },
  };
  const { body } = await written('messages', messagesBody(own), noOwnTools);
  expect(body).toContain('"look"');
  expect(offered('messages', messagesBody(own))).toEqual([]);
});
