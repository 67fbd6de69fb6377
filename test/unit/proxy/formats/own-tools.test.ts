// Which tools of a vendor pass: every type that the vendors' SDKs know, with each class on and off.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../common/json.ts';
import { clientFormats } from '../../../../proxy/client-formats.ts';
import { GatewayError } from '../../../../proxy/errors.ts';
import type { ClientTranslation } from '../../../../proxy/formats/client-format.ts';
import { converseClients } from '../../../../proxy/formats/converse/client.ts';
import { passConverseRequest } from '../../../../proxy/formats/converse/pass-request.ts';
import { generateContentClients } from '../../../../proxy/formats/generate-content/client.ts';
import { passedTools } from '../../../../proxy/formats/generate-content/client-own-tools.ts';
import { passGenerateContentRequest } from '../../../../proxy/formats/generate-content/pass-request.ts';
import { messagesClients } from '../../../../proxy/formats/messages/client.ts';
import { passMessagesRequest } from '../../../../proxy/formats/messages/pass-request.ts';
import { allOwnTools, noOwnTools, type ToolRights } from '../../../../proxy/formats/own-tools.ts';
import { responsesClients } from '../../../../proxy/formats/responses/client.ts';
import { passResponsesRequest } from '../../../../proxy/formats/responses/pass-request.ts';

const path = { model: 'm', stream: false };
const clientOf = (translation: ClientTranslation, body: JsonObject) => ({
  ...{ translation, body, bytes: Buffer.from(JSON.stringify(body)), path, headers: [], origins: [] },
  losses: { dropped: [], refusal: undefined },
});
const rights = {
  off: { isOwnKey: false, ownTools: noOwnTools },
  egress: { isOwnKey: false, ownTools: { egress: true, execution: false } },
  execution: { isOwnKey: false, ownTools: { egress: false, execution: true } },
  both: { isOwnKey: false, ownTools: allOwnTools },
  'own key': { isOwnKey: true, ownTools: noOwnTools },
} satisfies Record<string, ToolRights>;
type Right = keyof typeof rights;
const named = Object.keys(rights) as Right[];

describe('a tool of the Messages API', () => {
  const pass = (tool: JsonObject, right: Right, more: JsonObject = {}) =>
    passMessagesRequest(clientOf(messagesClients, { model: 'm', tools: [tool], ...more }), 'm', rights[right]);

  it.each<[string, readonly Right[]]>([
    ['bash_20250124', named],
    ['text_editor_20250728', named],
    ['computer_20251124', named],
    ['computer_toolset_20260801', named],
    ['browser_toolset_20260801', named],
    ['memory_20250818', named],
    ['tool_search_tool_bm25', named],
    ['tool_search_tool_regex_20251119', named],
    ['web_search_20250305', ['egress', 'both', 'own key']],
    ['web_search_20260318', ['egress', 'both', 'own key']],
    ['web_fetch_20260309', ['egress', 'both', 'own key']],
    ['mcp_toolset', ['egress', 'both', 'own key']],
    ['code_execution_20260521', ['execution', 'both', 'own key']],
    ['advisor_20260301', ['own key']],
    ['teleport_20300101', ['both', 'own key']],
  ])('%s passes with %j, and is named otherwise', (type, passing) => {
    for (const right of named) {
      const { body, dropped } = pass({ type, name: 'x' }, right);
      expect([right, body.includes(type), dropped.length]).toEqual([
        right,
        passing.includes(right),
        passing.includes(right) ? 0 : 1,
      ]);
    }
  });

  it('that is demanded and does not pass is refused', () => {
    const choice = { tool_choice: { type: 'tool', name: 'web_search' } };
    const tool = { type: 'web_search_20250305', name: 'web_search' };
    expect(() => pass(tool, 'execution', choice)).toThrow(expect.objectContaining({ code: 'unsupported_parameter' }));
    expect(pass(tool, 'egress', choice).body).toContain('tool_choice');
  });

  it('of an MCP server passes together with the server', () => {
    const servers = { mcp_servers: [{ type: 'url', url: 'https://mcp.example', name: 'x' }] };
    const tool = { type: 'mcp_toolset', mcp_server_name: 'x' };
    expect(pass(tool, 'egress', servers).body).toContain('mcp.example');
    expect(() => pass(tool, 'execution', servers)).toThrow(expect.objectContaining({ param: 'mcp_servers' }));
  });

  it('leaves the bytes of a request unchanged if all of them pass', () => {
    const tool = { type: 'web_search_20250305', name: 'web_search' };
    const body = { model: 'm', tools: [tool, { name: 'f', input_schema: {} }] };
    const client = clientOf(messagesClients, body);
    expect(passMessagesRequest(client, 'm', rights.egress).body).toBe(client.bytes.toString());
  });
});

describe('a tool of Converse that the vendor runs', () => {
  it('is named where the client put it: those of Claude are among the fields of the model', () => {
    const function_ = { toolSpec: { name: 'f', inputSchema: { json: {} } } };
    const body = {
      toolConfig: { tools: [function_, { systemTool: { name: 'nova_grounding' } }] },
      additionalModelRequestFields: { tools: [{ type: 'code_execution_20250522', name: 'code_execution' }] },
    };
    expect(clientFormats.converse.translation?.ownTools?.(body).map(({ at }) => at)).toEqual([
      'toolConfig.tools[1]',
      'additionalModelRequestFields.tools[0]',
    ]);
  });
});

describe('a tool of generateContent', () => {
  const pass = (tools: readonly JsonObject[], right: Right) =>
    passGenerateContentRequest(clientOf(generateContentClients, { tools }), {
      ...{ model: 'm', rights: rights[right], outputTokens: undefined },
    });

  it.each<[string, readonly Right[]]>([
    ['computerUse', named],
    ['googleSearch', ['egress', 'both', 'own key']],
    ['google_search', ['egress', 'both', 'own key']],
    ['googleSearchRetrieval', ['egress', 'both', 'own key']],
    ['enterpriseWebSearch', ['egress', 'both', 'own key']],
    ['exaAiSearch', ['egress', 'both', 'own key']],
    ['parallelAiSearch', ['egress', 'both', 'own key']],
    ['googleMaps', ['egress', 'both', 'own key']],
    ['urlContext', ['egress', 'both', 'own key']],
    ['mcpServers', ['egress', 'both', 'own key']],
    ['codeExecution', ['execution', 'both', 'own key']],
    ['fileSearch', ['own key']],
    ['retrieval', ['own key']],
    ['teleport', ['both', 'own key']],
  ])('%s passes with %j, and is named otherwise', (name, passing) => {
    for (const right of named) {
      const { body, dropped } = pass([{ [name]: {} }], right);
      expect([right, body.includes(name), dropped.length]).toEqual([
        right,
        passing.includes(right),
        passing.includes(right) ? 0 : 1,
      ]);
    }
  });

  it('that passes stays in its object, beside functions and without its neighbours that do not', () => {
    const functionDeclarations = [{ name: 'f' }];
    const { body, dropped } = pass(
      [{ googleSearch: { a: 1 }, codeExecution: {}, functionDeclarations }, { codeExecution: {} }],
      'egress',
    );
    expect(JSON.parse(body).tools).toEqual([{ googleSearch: { a: 1 }, functionDeclarations }]);
    expect(dropped).toEqual(['tools.codeExecution']);
  });

  it('is named where the client put it', () => {
    const tools = [{ functionDeclarations: [] }, { google_search: {}, codeExecution: {} }];
    expect(generateContentClients.ownTools?.({ tools }).map(({ at }) => at)).toEqual([
      'tools[1].googleSearch',
      'tools[1].codeExecution',
    ]);
  });

  it('is known to the reader of the response only if it passed', () => {
    const tools = [{ google_search: {}, codeExecution: {}, functionDeclarations: [] }];
    expect(passedTools({ tools }, rights.egress)).toEqual([{ googleSearch: {} }]);
    expect(passedTools({}, rights.both)).toEqual([]);
  });
});

describe('a history in which the vendor has run a tool', () => {
  const ran = (block: JsonObject): JsonObject => ({
    model: 'm',
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [{ type: 'text', text: 'Well' }, block] },
    ],
  });
  const messagesRefusal = (block: JsonObject, right: Right) =>
    refusalOf(() => passMessagesRequest(clientOf(messagesClients, ran(block)), 'm', rights[right]));

  it.each<[string, JsonObject, readonly Right[]]>([
    ['a search', { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }, ['egress', 'both', 'own key']],
    ['its result', { type: 'web_search_tool_result', tool_use_id: 's', content: [] }, ['egress', 'both', 'own key']],
    ['a call of an MCP server', { type: 'mcp_tool_use', id: 'm', name: 'x' }, ['egress', 'both', 'own key']],
    ['code', { type: 'server_tool_use', id: 'c', name: 'bash_code_execution' }, ['execution', 'both', 'own key']],
    ['its result', { type: 'text_editor_code_execution_tool_result' }, ['execution', 'both', 'own key']],
    ['a tool of an unknown kind', { type: 'teleport_tool_result' }, ['both', 'own key']],
    ['a call of another model', { type: 'server_tool_use', id: 'a', name: 'advisor' }, ['own key']],
    ['a search among the tools', { type: 'tool_search_tool_result', content: [] }, named],
    ['a call of the client’s own tool', { type: 'tool_use', id: 't', name: 'web_search', input: {} }, named],
  ])('passes as Messages request with %s under %j alone', (_what, block, passes) => {
    for (const right of named) {
      const param = passes.includes(right) ? undefined : 'messages[1].content[1]';
      expect([right, messagesRefusal(block, right)]).toEqual([right, param]);
    }
  });

  const responsesRefusal = (item: JsonObject, right: Right) =>
    refusalOf(() =>
      passResponsesRequest(clientOf(responsesClients, { model: 'm', input: [{ role: 'user', content: 'Hi' }, item] }), {
        ...{ model: 'm', ...rights[right], outputTokens: undefined, isGuarded: false },
      }),
    );

  it.each<[string, JsonObject, readonly Right[]]>([
    ['a search', { type: 'web_search_call', status: 'completed' }, ['egress', 'both', 'own key']],
    ['tools of an MCP server', { type: 'mcp_list_tools', tools: [] }, ['egress', 'both', 'own key']],
    ['a program', { type: 'program', code: 'a' }, ['execution', 'both', 'own key']],
    ['an image', { type: 'image_generation_call', result: null }, ['both', 'own key']],
    ['a search of a store', { type: 'file_search_call', queries: [] }, ['own key']],
    ['commands at the vendor', { type: 'shell_call', environment: { type: 'a' } }, ['execution', 'both', 'own key']],
    ['commands of the client', { type: 'shell_call', environment: { type: 'local' } }, named],
    ['a call of the client’s own tool', { type: 'function_call', call_id: 'c', name: 'web_search' }, named],
  ])('passes as Responses request with %s under %j alone', (_what, item, passes) => {
    for (const right of named) {
      const param = passes.includes(right) ? undefined : 'input[1]';
      expect([right, responsesRefusal(item, right)]).toEqual([right, param]);
    }
  });

  const contentRefusal = (part: JsonObject, right: Right) => {
    const contents = [
      { role: 'user', parts: [{ text: 'Hi' }] },
      { role: 'model', parts: [part] },
    ];
    const passing = { model: 'm', rights: rights[right], outputTokens: undefined };
    return refusalOf(() => passGenerateContentRequest(clientOf(generateContentClients, { contents }), passing));
  };

  it.each<[string, JsonObject, readonly Right[]]>([
    ['executableCode', { executableCode: { code: 'a' } }, ['execution', 'both', 'own key']],
    ['codeExecutionResult', { code_execution_result: { output: 'a' } }, ['execution', 'both', 'own key']],
    ['toolCall', { toolCall: { toolType: 'GOOGLE_SEARCH_WEB' } }, ['egress', 'both', 'own key']],
    ['toolResponse', { tool_response: { tool_type: 'FILE_SEARCH' } }, ['own key']],
    ['toolCall', { toolCall: { id: 't' } }, ['both', 'own key']],
  ])('passes as generateContent request with %s %j under %j alone', (field, part, passes) => {
    for (const right of named) {
      const param = passes.includes(right) ? undefined : `contents[1].parts[0].${field}`;
      expect([right, contentRefusal(part, right)]).toEqual([right, param]);
    }
  });

  it.each<[string, JsonObject, readonly Right[]]>([
    ['a search', { toolUse: { type: 'server_tool_use', name: 'nova_grounding' } }, ['egress', 'both', 'own key']],
    ['a call of the client’s own tool', { toolUse: { toolUseId: 't', name: 'nova_grounding' } }, named],
  ])('passes as Converse request with %s under %j alone', (_what, block, passes) => {
    const messages = [{ role: 'assistant', content: [block] }];
    for (const right of named) {
      const client = clientOf(converseClients(messagesClients), { messages });
      const passing = { ...rights[right], isClaude: false, outputTokens: undefined };
      const param = passes.includes(right) ? undefined : 'messages[0].content[0].toolUse';
      expect([right, refusalOf(() => passConverseRequest(client, passing))]).toEqual([right, param]);
    }
  });
});

/** The field that is refused. */
function refusalOf(pass: () => unknown): string | undefined {
  try {
    pass();
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'unsupported_parameter') return error.param;
    throw error;
  }
  return undefined;
}
