// Every kind of block, item and part that the SDKs' newest types know in a history, and what a vendor of another format
// gets of it. A kind that an SDK adds is missing in a table here, which then does not compile.
import type Anthropic from '@anthropic-ai/sdk';
import type { ContentBlock } from '@aws-sdk/client-bedrock-runtime';
import type { Part } from '@google/genai';
import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import type { ClientFormatName } from '../../proxy/formats/client-format.ts';
import { type Outcome, outcomesOf } from './outcomes.ts';
import type { Probe } from './probe.ts';
import { lossTables } from './probes/index.ts';
import { beside } from './probes/responses-base.ts';

/** `named`: dropped and named. `part`: belongs to a part that has a kind of its own. */
type Treatment = 'mapped' | 'named' | 'refused' | 'part';

const blocks: Record<Anthropic.Beta.BetaContentBlockParam['type'], Treatment> = {
  advisor_tool_result: 'refused',
  bash_code_execution_tool_result: 'refused',
  code_execution_tool_result: 'refused',
  compaction: 'mapped',
  container_upload: 'refused',
  document: 'mapped',
  fallback: 'named',
  image: 'mapped',
  mcp_tool_listing: 'refused',
  mcp_tool_result: 'refused',
  mcp_tool_use: 'refused',
  redacted_thinking: 'named',
  search_result: 'mapped',
  server_tool_use: 'refused',
  text: 'mapped',
  text_editor_code_execution_tool_result: 'refused',
  thinking: 'named',
  tool_addition: 'named',
  tool_removal: 'refused',
  tool_result: 'mapped',
  tool_search_tool_result: 'refused',
  tool_use: 'mapped',
  web_fetch_tool_result: 'refused',
  web_search_tool_result: 'refused',
};

type Item = OpenAI.Responses.ResponseInputItem | OpenAI.Beta.Responses.BetaResponseInputItem;

/** A message may come without a type. */
const items: Record<NonNullable<Item['type']>, Treatment> = {
  additional_tools: 'mapped',
  agent_message: 'refused',
  apply_patch_call: 'refused',
  apply_patch_call_output: 'refused',
  code_interpreter_call: 'refused',
  compaction: 'refused',
  compaction_trigger: 'refused',
  computer_call: 'refused',
  computer_call_output: 'refused',
  configuration_update: 'mapped',
  custom_tool_call: 'mapped',
  custom_tool_call_output: 'mapped',
  file_search_call: 'refused',
  function_call: 'mapped',
  function_call_output: 'mapped',
  image_generation_call: 'refused',
  item_reference: 'refused',
  local_shell_call: 'refused',
  local_shell_call_output: 'refused',
  mcp_approval_request: 'refused',
  mcp_approval_response: 'refused',
  mcp_call: 'refused',
  mcp_list_tools: 'refused',
  message: 'mapped',
  multi_agent_call: 'refused',
  multi_agent_call_output: 'refused',
  program: 'refused',
  program_output: 'refused',
  reasoning: 'named',
  shell_call: 'refused',
  shell_call_output: 'refused',
  tool_search_call: 'refused',
  tool_search_output: 'refused',
  web_search_call: 'refused',
};

const parts: Record<keyof Part, Treatment> = {
  audioTranscription: 'refused',
  codeExecutionResult: 'refused',
  executableCode: 'refused',
  fileData: 'refused',
  functionCall: 'mapped',
  functionResponse: 'mapped',
  inlineData: 'mapped',
  mediaProcessing: 'part',
  mediaResolution: 'part',
  partMetadata: 'part',
  speechMetadata: 'part',
  text: 'mapped',
  thought: 'mapped',
  thoughtSignature: 'part',
  toolCall: 'refused',
  toolResponse: 'refused',
  videoMetadata: 'part',
};

type MemberNames<Union> = Union extends object ? keyof Union : never;

const cloudBlocks: Record<Exclude<MemberNames<ContentBlock>, '$unknown'>, Treatment> = {
  audio: 'mapped',
  cachePoint: 'named',
  citationsContent: 'mapped',
  document: 'mapped',
  guardContent: 'mapped',
  image: 'mapped',
  reasoningContent: 'named',
  searchResult: 'mapped',
  text: 'mapped',
  toolAddition: 'refused',
  toolRemoval: 'refused',
  toolResult: 'mapped',
  toolUse: 'mapped',
  video: 'mapped',
};

/** Kinds that only the beta's types have. */
const betaItems: readonly Probe[] = [
  { type: 'agent_message', author: 'a', recipient: 'b', content: [{ type: 'input_text', text: 'c' }] },
  { type: 'multi_agent_call', action: 'spawn_agent', arguments: '{}', call_id: 'call_1' },
  { type: 'multi_agent_call_output', action: 'spawn_agent', call_id: 'call_1', output: [] },
].map((item) => {
  const input = [{ role: 'user' as const, content: 'Hello' }];
  return beside(`input[${item.type}]`, { input }, { input: [...input, item as never] });
});

interface Kinds {
  readonly format: ClientFormatName;
  readonly treatments: Readonly<Record<string, Treatment>>;
  /** The beginning of the paths of a kind's fields. */
  prefix(kind: string): string;
  readonly probes: readonly Probe[];
}

const all: readonly Kinds[] = [
  { format: 'messages', treatments: blocks, prefix: (kind) => `messages.content[${kind}]`, probes: [] },
  { format: 'responses', treatments: items, prefix: (kind) => `input[${kind}]`, probes: betaItems },
  { format: 'generate_content', treatments: parts, prefix: (kind) => `contents.parts.${kind}`, probes: [] },
  { format: 'converse', treatments: cloudBlocks, prefix: (kind) => `messages.content.${kind}`, probes: [] },
];

const words: Readonly<Record<Outcome['is'], Treatment | undefined>> = {
  ...{ passed: 'mapped', mapped: 'mapped', emulated: 'mapped', 'in part': 'mapped', dropped: 'named' },
  ...{ refused: 'refused', silent: undefined },
};

describe.each(all)('kinds in a history of $format', ({ format, treatments, prefix, probes }) => {
  it.each(Object.entries(treatments).filter(([, treatment]) => treatment !== 'part'))(
    '%s is %s at a vendor of another format',
    async (kind, treatment) => {
      const begins = prefix(kind);
      const own = [...lossTables[format].probes, ...probes].filter(
        ({ path }) => path === begins || (path.startsWith(begins) && /^[.[]/.test(path.slice(begins.length))),
      );
      expect(own.length).toBeGreaterThan(0);
      const outcomes = await Promise.all(own.map((probe) => outcomesOf(format, probe)));
      const found = outcomes.map((outcome) => words[outcome[otherVendor(format)].is]);
      // The probes of a kind are of its fields, some of which may be lost.
      if (treatment === 'refused') expect(new Set(found)).toEqual(new Set(['refused']));
      else expect(found).toContain(treatment);
    },
  );
});

/** One that has neither the client's format nor the same models. */
function otherVendor(format: ClientFormatName) {
  return format === 'responses' ? 'search-provider' : 'gpt-provider';
}
