// Which tools of a vendor pass: every type that the vendors' SDKs know, with each class on and off.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../common/json.ts';
import type { ClientTranslation } from '../../../../proxy/formats/client-format.ts';
import { generateContentClients } from '../../../../proxy/formats/generate-content/client.ts';
import { passedTools } from '../../../../proxy/formats/generate-content/client-own-tools.ts';
import { passGenerateContentRequest } from '../../../../proxy/formats/generate-content/pass-request.ts';
import { messagesClients } from '../../../../proxy/formats/messages/client.ts';
import { passMessagesRequest } from '../../../../proxy/formats/messages/pass-request.ts';
import { allOwnTools, noOwnTools, type ToolRights } from '../../../../proxy/formats/own-tools.ts';

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

  it('is known to the reader of the response only if it passed', () => {
    const tools = [{ google_search: {}, codeExecution: {}, functionDeclarations: [] }];
    expect(passedTools({ tools }, rights.egress)).toEqual([{ googleSearch: {} }]);
    expect(passedTools({}, rights.both)).toEqual([]);
  });
});
