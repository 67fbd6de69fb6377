// Fields of the Messages API that need a beta (SDK type `Beta.MessageCreateParams` of @anthropic-ai/sdk).
import { type Probe, reasoningModels, whole } from '../probe.ts';
import {
  adapts,
  type Block,
  beside,
  enabled,
  field,
  hello,
  own,
  ran,
  replies,
  schema,
  tool,
  turns,
} from './messages-base.ts';

const server = { type: 'url' as const, name: 'files', url: 'https://example.com/mcp' };
const hop = { model: 'claude-opus-5' };
/** Directives in the system message before the last question. */
const directs = (path: string, block: Block): Probe =>
  turns(
    `messages.content${path}`,
    [hello, { role: 'system', content: [{ type: 'text', text: 'Be brief.' }, block] as never }],
    [hello, { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] }],
    whole,
  );
const summary: Block = { type: 'compaction', content: 'They greeted.' };
const summarizes = (path: string, fields: object): Probe =>
  replies(`[compaction].${path}`, [{ ...summary, ...fields } as Block], [summary]);
const edits = (path: string, edit: object): Probe =>
  field(`context_management.edits[${path}]`, { context_management: { edits: [edit as never] } }, whole);
const reference = { type: 'tool_reference' as const, name: 'weather' };

export const messagesBetaProbes: readonly Probe[] = [
  field('billing_policy.bill_to', { billing_policy: { type: 'billing_policy', bill_to: 'self' } }),
  field('compaction.instructions', { compaction: { type: 'enabled', instructions: 'Keep names.' } as never }),
  edits('clear_thinking_20251015', { type: 'clear_thinking_20251015', keep: 'all' }),
  edits('clear_tool_uses_20250919', { type: 'clear_tool_uses_20250919' }),
  edits('compact_20260112', { type: 'compact_20260112' }),
  field('fallback_credit_token', { fallback_credit_token: 'token' }, whole),
  field('fallbacks', { fallbacks: [hop] }, whole),
  field('mcp_servers', { mcp_servers: [server] }, whole),
  turns(
    'messages.clear_at',
    [hello, { role: 'system', content: 'Be brief.', clear_at: 'next_user_message' }, hello],
    [hello, { role: 'system', content: 'Be brief.' }, hello],
  ),
  ran({
    type: 'advisor_tool_result',
    tool_use_id: 'srvtoolu_1',
    content: { type: 'advisor_tool_result_error', error_code: 'unavailable' },
  }),
  replies('[compaction].content', [summary]),
  summarizes('cache_control', { cache_control: { type: 'ephemeral' } }),
  summarizes('encrypted_content', { encrypted_content: 'c2VjcmV0' }),
  summarizes('signature', { signature: 'c2ln' }),
  summarizes('tool_changes', { tool_changes: [{ type: 'tool_removal', tool: reference }] }),
  replies('[fallback]', [{ type: 'fallback', from: hop, to: { model: 'claude-sonnet-4-5' } }], [], whole),
  ran({ type: 'mcp_tool_listing', mcp_server_name: 'files', tools: [] }),
  ran({ type: 'mcp_tool_result', tool_use_id: 'mcptoolu_1', content: 'a' }),
  ran({ type: 'mcp_tool_use', id: 'mcptoolu_1', name: 'list', server_name: 'files', input: {} }),
  directs('[tool_addition]', { type: 'tool_addition', tool: reference }),
  directs('[tool_addition].tool[tool_definition]', {
    type: 'tool_addition',
    tool: { type: 'tool_definition', definition: tool() },
  }),
  directs('[tool_removal]', { type: 'tool_removal', tool: reference }),
  turns(
    'messages.output_config.effort',
    [{ role: 'user', content: 'a' }, { role: 'system', output_config: { effort: 'low' } }, hello],
    [{ role: 'user', content: 'a' }, hello],
  ),
  field('output_config.task_budget', { output_config: { task_budget: { type: 'tokens', total: 20_000 } } }, whole),
  field('output_format.schema', {
    output_format: { type: 'json_schema', schema: { ...schema, additionalProperties: false } },
  }),
  beside(
    'thinking[adaptive].block_binding',
    { thinking: { type: 'adaptive' } },
    { thinking: { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop' } as never } },
    { ...adapts, ...whole },
  ),
  beside(
    'thinking[enabled].block_binding',
    { thinking: enabled },
    { thinking: { ...enabled, block_binding: { prefix_mismatch_behavior: 'drop' } as never } },
    { models: reasoningModels, ...whole },
  ),
  field('thread[continue].previous_message_id', { thread: { type: 'continue', previous_message_id: 'msg_1' } }),
  field('thread[create]', { thread: { type: 'create' } }),
  own({ type: 'advisor_20260301', name: 'advisor', model: 'claude-opus-5' }),
  own({ type: 'bash_20241022', name: 'bash' }),
  own({ type: 'computer_20241022', name: 'computer', display_height_px: 100, display_width_px: 100 }),
  own({ type: 'computer_20250124', name: 'computer', display_height_px: 100, display_width_px: 100 }),
  own({ type: 'computer_20251124', name: 'computer', display_height_px: 100, display_width_px: 100 }),
  own({ type: 'mcp_toolset', mcp_server_name: 'files' }),
  own({ type: 'text_editor_20241022', name: 'str_replace_editor' }),
];
