// Items of `input` of the Responses API (SDK type `ResponseInputItem` of the package openai).
import { png } from '../../support/png.ts';
import { type Notes, type Probe, whole } from '../probe.ts';
import { beside, type Content, format, hello, type Item, thinks, tool } from './responses-base.ts';

const items = (path: string, one: readonly Item[], other: readonly Item[], notes?: Notes): Probe =>
  beside(`input${path}`, { input: [...other] }, { input: [...one] }, notes);
const parts = (path: string, one: readonly Content[], other: readonly Content[] = [], notes?: Notes): Probe =>
  items(
    `[message].content${path}`,
    [{ role: 'user', content: [text, ...one] }],
    [{ role: 'user', content: [text, ...other] }],
    notes,
  );
const text: Content = { type: 'input_text', text: 'Hello' };
const mark = { prompt_cache_breakpoint: { mode: 'explicit' as const } };
const markOf = { prompt_cache_breakpoint: { mode: 'explicit' as const, ttl: '30m' as const } };
const image = { type: 'input_image' as const, detail: 'auto' as const, image_url: `data:image/png;base64,${png}` };
const data = 'data:application/pdf;base64,JVBERi0xLjQKJSVFT0YK';
const file = { type: 'input_file' as const, file_data: data, filename: 'a.pdf' };
const bare = { type: 'input_file' as const, file_data: data };

const call = (fields: object = {}): Item => ({
  type: 'function_call',
  call_id: 'call_1',
  name: 'weather',
  arguments: '{}',
  ...fields,
});
const output = (fields: object = {}): Item => ({
  type: 'function_call_output',
  call_id: 'call_1',
  output: 'Rain.',
  ...fields,
});
const custom = (fields: object = {}): Item => ({
  type: 'custom_tool_call',
  call_id: 'call_1',
  name: 'patch',
  input: 'a',
  ...fields,
});
const customOutput = (fields: object = {}): Item => ({
  type: 'custom_tool_call_output',
  call_id: 'call_1',
  output: 'Done.',
  ...fields,
});
const inCall = (path: string, fields: object, notes?: Notes) =>
  items(`[function_call].${path}`, [hello, call(fields), output()], [hello, call(), output()], notes);
const inOutput = (path: string, fields: object, other: object = {}, notes?: Notes) =>
  items(`[function_call_output].${path}`, [hello, call(), output(fields)], [hello, call(), output(other)], {
    namedAs: path.replace(/^output(?:\[\w+\])?/, 'input.content'),
    ...notes,
  });
const inCustom = (path: string, fields: object, notes?: Notes) =>
  items(
    `[custom_tool_call].${path}`,
    [hello, custom(fields), customOutput()],
    [hello, custom(), customOutput()],
    notes,
  );
const inCustomOutput = (path: string, fields: object, notes?: Notes) =>
  items(
    `[custom_tool_call_output].${path}`,
    [hello, custom(), customOutput(fields)],
    [hello, custom(), customOutput()],
    notes,
  );
const inMessage = (path: string, fields: object, other: object = {}, notes?: Notes) =>
  items(`[message].${path}`, [hello, assistant(fields), hello], [hello, assistant(other), hello], notes);
const assistant = (fields: object): Item => ({ role: 'assistant', content: 'Hi', ...fields });
const replied = (fields: object = {}) => ({ content: [{ type: 'output_text', text: 'Hi', ...fields }] });
/** An item of a tool that the vendor runs, or of its store. */
const ran = (item: object): Probe =>
  items(`[${'type' in item ? String(item.type) : ''}]`, [hello, item as Item, hello], [hello, hello], whole);

const sameItem = { silent: 'the id of an item says nothing about the conversation' };
const finished = { silent: 'an item of a history is over, whatever its status' };

export const responsesInputProbes: readonly Probe[] = [
  items('[message].content', [{ role: 'user', content: 'Bye' }], [hello]),
  items('[message].role', [{ role: 'developer', content: 'a' }, hello], [{ role: 'user', content: 'a' }, hello]),
  inMessage(
    'id',
    { id: 'msg_1', type: 'message', status: 'completed', ...replied() },
    { type: 'message', status: 'completed', ...replied() },
    sameItem,
  ),
  inMessage(
    'status',
    { type: 'message', status: 'incomplete', ...replied() },
    { type: 'message', status: 'completed', ...replied() },
    finished,
  ),
  inMessage('phase', { phase: 'commentary' }),
  parts('[input_text].text', [{ type: 'input_text', text: 'More' }]),
  parts('[input_text].prompt_cache_breakpoint.mode', [{ ...text, ...mark }], [text]),
  parts('[input_text].prompt_cache_breakpoint.ttl', [{ ...text, ...markOf }], [{ ...text, ...mark }]),
  parts('[input_image].detail', [{ ...image, detail: 'low' }], [image]),
  parts('[input_image].detail', [{ ...image, detail: 'original' }], [image]),
  parts('[input_image].file_id', [{ type: 'input_image', detail: 'auto', file_id: 'file-1' }]),
  parts('[input_image].image_url', [image]),
  parts('[input_image].prompt_cache_breakpoint.mode', [{ ...image, ...mark }], [image]),
  parts('[input_image].prompt_cache_breakpoint.ttl', [{ ...image, ...markOf }], [{ ...image, ...mark }]),
  parts('[input_file].detail', [{ ...file, detail: 'low' }], [file]),
  parts('[input_file].file_data', [bare]),
  parts('[input_file].file_id', [{ type: 'input_file', file_id: 'file-1' }]),
  parts('[input_file].file_url', [{ type: 'input_file', file_url: 'https://example.com/a.pdf' }]),
  parts('[input_file].filename', [file], [{ type: 'input_file', file_data: data }]),
  parts('[input_file].prompt_cache_breakpoint.mode', [{ ...file, ...mark }], [file]),
  parts('[input_file].prompt_cache_breakpoint.ttl', [{ ...file, ...markOf }], [{ ...file, ...mark }]),
  inMessage('content[output_text].text', replied({ text: 'Bye' }), replied()),
  items(
    '[message].content[output_text].annotations',
    [
      hello,
      assistant(
        replied({
          annotations: [{ type: 'url_citation', url: 'https://example.com', title: 'a', start_index: 0, end_index: 1 }],
        }),
      ),
      hello,
    ],
    [hello, assistant(replied({ annotations: [] })), hello],
    whole,
  ),
  items(
    '[message].content[output_text].logprobs',
    [hello, assistant(replied({ logprobs: [{ token: 'Hi', logprob: -1, bytes: [72], top_logprobs: [] }] })), hello],
    [hello, assistant(replied()), hello],
    { ...whole, silent: 'figures about a text that is there' },
  ),
  inMessage('content[refusal].refusal', { content: [{ type: 'refusal', refusal: 'No.' }] }, replied()),
  inCall('arguments', { arguments: '{"city":"Oslo"}' }),
  inCall('async', { async: true }),
  items(
    '[function_call].call_id',
    [hello, call({ call_id: 'call_2' }), output({ call_id: 'call_2' })],
    [hello, call(), output()],
  ),
  inCall('caller', { caller: { type: 'program', caller_id: 'p_1' } }, whole),
  inCall('id', { id: 'fc_1' }, sameItem),
  inCall('name', { name: 'time' }),
  inCall('namespace', { namespace: 'town' }),
  inCall('status', { status: 'completed' }, finished),
  items(
    '[function_call_output].call_id',
    [hello, call({ call_id: 'call_2' }), output({ call_id: 'call_2' })],
    [hello, call(), output()],
  ),
  inOutput('caller', { caller: { type: 'program', caller_id: 'p_1' } }, {}, whole),
  inOutput('id', { id: 'fco_1' }, {}, sameItem),
  inOutput('name', { name: 'weather' }, {}, { silent: 'the call has the name' }),
  inOutput('namespace', { namespace: 'town' }, {}, { silent: 'the call has the namespace' }),
  inOutput('status', { status: 'completed' }, {}, finished),
  inOutput('output', { output: 'Sun.' }),
  inOutput('output[input_text].text', { output: [{ type: 'input_text', text: 'Sun.' }] }),
  inOutput('output[input_text].prompt_cache_breakpoint.mode', { output: [{ ...text, ...mark }] }, { output: [text] }),
  inOutput(
    'output[input_text].prompt_cache_breakpoint.ttl',
    { output: [{ ...text, ...markOf }] },
    { output: [{ ...text, ...mark }] },
  ),
  inOutput('output[input_image].detail', { output: [text, { ...image, detail: 'low' }] }, { output: [text, image] }),
  inOutput(
    'output[input_image].file_id',
    { output: [text, { type: 'input_image', file_id: 'file-1' }] },
    { output: [text] },
  ),
  inOutput('output[input_image].image_url', { output: [text, image] }, { output: [text] }),
  inOutput(
    'output[input_image].prompt_cache_breakpoint.mode',
    { output: [text, { ...image, ...mark }] },
    { output: [text, image] },
  ),
  inOutput(
    'output[input_image].prompt_cache_breakpoint.ttl',
    { output: [text, { ...image, ...markOf }] },
    { output: [text, { ...image, ...mark }] },
  ),
  inOutput('output[input_file].detail', { output: [text, { ...file, detail: 'low' }] }, { output: [text, file] }),
  inOutput('output[input_file].file_data', { output: [text, bare] }, { output: [text] }),
  inOutput(
    'output[input_file].file_id',
    { output: [text, { type: 'input_file', file_id: 'file-1' }] },
    { output: [text] },
  ),
  inOutput(
    'output[input_file].file_url',
    { output: [text, { type: 'input_file', file_url: 'https://example.com/a.pdf' }] },
    { output: [text] },
  ),
  inOutput(
    'output[input_file].filename',
    { output: [text, file] },
    { output: [text, { type: 'input_file', file_data: data }] },
  ),
  inOutput(
    'output[input_file].prompt_cache_breakpoint.mode',
    { output: [text, { ...file, ...mark }] },
    { output: [text, file] },
  ),
  inOutput(
    'output[input_file].prompt_cache_breakpoint.ttl',
    { output: [text, { ...file, ...markOf }] },
    { output: [text, { ...file, ...mark }] },
  ),
  inCustom('async', { async: true }),
  items(
    '[custom_tool_call].call_id',
    [hello, custom({ call_id: 'call_2' }), customOutput({ call_id: 'call_2' })],
    [hello, custom(), customOutput()],
  ),
  inCustom('caller', { caller: { type: 'program', caller_id: 'p_1' } }, whole),
  inCustom('id', { id: 'ctc_1' }, sameItem),
  inCustom('input', { input: 'b' }),
  inCustom('name', { name: 'other' }),
  inCustom('namespace', { namespace: 'town' }),
  items(
    '[custom_tool_call_output].call_id',
    [hello, custom({ call_id: 'call_2' }), customOutput({ call_id: 'call_2' })],
    [hello, custom(), customOutput()],
  ),
  inCustomOutput('caller', { caller: { type: 'program', caller_id: 'p_1' } }, whole),
  inCustomOutput('id', { id: 'ctco_1' }, sameItem),
  inCustomOutput('output', { output: 'Not done.' }),
  items(
    '[reasoning].content.text',
    [
      hello,
      { type: 'reasoning', id: 'rs_1', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] },
      assistant({}),
      hello,
    ],
    [hello, assistant({}), hello],
    thinks,
  ),
  items(
    '[reasoning].encrypted_content',
    [hello, { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'ZW5j' }, assistant({}), hello],
    [hello, assistant({}), hello],
    thinks,
  ),
  items(
    '[reasoning].id',
    [hello, { type: 'reasoning', id: 'rs_1', summary: [] }, assistant({}), hello],
    [hello, assistant({}), hello],
    sameItem,
  ),
  items(
    '[reasoning].status',
    [hello, { type: 'reasoning', id: 'rs_1', summary: [], status: 'completed' }, assistant({}), hello],
    [hello, assistant({}), hello],
    finished,
  ),
  items(
    '[reasoning].summary.text',
    [hello, { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }] }, assistant({}), hello],
    [hello, assistant({}), hello],
    thinks,
  ),
  items(
    '[additional_tools].id',
    [hello, { type: 'additional_tools', role: 'developer', id: 'at_1', tools: [tool()] } as never],
    [hello, { type: 'additional_tools', role: 'developer', tools: [tool()] } as never],
    sameItem,
  ),
  items(
    '[additional_tools].role',
    [hello, { type: 'additional_tools', role: 'user', tools: [tool()] } as never],
    [hello, { type: 'additional_tools', role: 'developer', tools: [tool()] } as never],
    { silent: 'other formats have tools beside the conversation' },
  ),
  items(
    '[additional_tools].tools',
    [hello, { type: 'additional_tools', role: 'developer', tools: [tool()] } as never],
    [hello],
  ),
  items(
    '[configuration_update].id',
    [{ type: 'configuration_update', id: 'cu_1', reasoning: { effort: 'low' } } as never, hello],
    [{ type: 'configuration_update', reasoning: { effort: 'low' } } as never, hello],
    { ...thinks, ...sameItem },
  ),
  items(
    '[configuration_update].reasoning.effort',
    [{ type: 'configuration_update', reasoning: { effort: 'low' } } as never, hello],
    [hello],
    thinks,
  ),
  items(
    '[configuration_update].text.format',
    [{ type: 'configuration_update', text: format() } as never, hello],
    [hello],
    thinks,
  ),
  ran({
    type: 'apply_patch_call',
    call_id: 'call_1',
    status: 'completed',
    operation: { type: 'delete_file', path: 'a' },
  }),
  ran({ type: 'apply_patch_call_output', call_id: 'call_1', status: 'completed' }),
  ran({ type: 'code_interpreter_call', id: 'ci_1', code: 'a', container_id: 'c', outputs: null, status: 'completed' }),
  ran({ type: 'compaction', encrypted_content: 'ZW5j' }),
  ran({ type: 'compaction_trigger' }),
  ran({
    type: 'computer_call',
    id: 'cu_1',
    call_id: 'call_1',
    pending_safety_checks: [],
    status: 'completed',
    action: { type: 'wait' },
  }),
  ran({ type: 'computer_call_output', call_id: 'call_1', output: { type: 'computer_screenshot', image_url: 'data:' } }),
  ran({ type: 'file_search_call', id: 'fs_1', queries: ['a'], status: 'completed' }),
  ran({ type: 'image_generation_call', id: 'ig_1', result: null, status: 'completed' }),
  ran({ type: 'item_reference', id: 'msg_1' }),
  ran({
    type: 'local_shell_call',
    id: 'ls_1',
    call_id: 'call_1',
    status: 'completed',
    action: { type: 'exec', command: ['ls'], env: {} },
  }),
  ran({ type: 'local_shell_call_output', id: 'ls_1', output: 'a' }),
  ran({ type: 'mcp_approval_request', id: 'ma_1', name: 'a', arguments: '{}', server_label: 's' }),
  ran({ type: 'mcp_approval_response', approval_request_id: 'ma_1', approve: true }),
  ran({ type: 'mcp_call', id: 'mc_1', name: 'a', arguments: '{}', server_label: 's' }),
  ran({ type: 'mcp_list_tools', id: 'ml_1', server_label: 's', tools: [] }),
  ran({ type: 'program', id: 'p_1', call_id: 'call_1', code: 'a', fingerprint: 'f' }),
  ran({ type: 'program_output', id: 'p_2', call_id: 'call_1', result: 'a', status: 'completed' }),
  ran({ type: 'shell_call', call_id: 'call_1', action: { commands: ['ls'] } }),
  ran({ type: 'shell_call_output', call_id: 'call_1', output: [] }),
  ran({ type: 'tool_search_call', arguments: {}, execution: 'server' }),
  ran({ type: 'tool_search_output', tools: [] }),
  ran({ type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'a' } }),
];
