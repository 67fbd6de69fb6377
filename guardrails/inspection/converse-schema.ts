// Locations of text in requests of Converse (SDK type `ConverseRequest` of @aws-sdk/client-bedrock-runtime), CountTokens
// and InvokeModel. A field that is not named here is inspected.
import {
  anything,
  exempt,
  fields,
  file,
  fixed,
  joined,
  json,
  type TextLocation,
  text,
  unseen,
} from './inspection-schema.ts';
import { cacheMark, encoded, id, isBase64, name, number, opaque, word } from './message-schema.ts';
import { messagesRequestLocations } from './messages-schema.ts';
import { schema } from './request-schema.ts';

const bytesOfFile = file('a file', isBase64);

const media = fields({ format: word, source: fields({ bytes: encoded }) });

/** Other documents may be text, and models read that. */
const pdf = fields({ bytes: encoded });
const documentFields: Readonly<Record<string, TextLocation>> = {
  format: word,
  name: text,
  context: text,
  citations: fields({ enabled: unseen('a switch') }),
  source: fields({ bytes: bytesOfFile, text, content: fields({ text }) }),
};
const document: TextLocation = {
  ...fields(documentFields),
  of: ({ format }) => fields(format === 'pdf' ? { ...documentFields, source: pdf } : documentFields),
};

const block: TextLocation = {
  ...joined,
  fields: {
    text: joined,
    json: anything,
    image: media,
    video: media,
    audio: media,
    document,
    toolUse: fields({ toolUseId: id, name, input: anything, type: word }),
    toolResult: fields({
      toolUseId: id,
      status: word,
      type: word,
      get content() {
        return block;
      },
    }),
    reasoningContent: fields({ reasoningText: fields({ text, signature: opaque }), redactedContent: opaque }),
    guardContent: fields({ text: fields({ text: joined, qualifiers: word }), image: media }),
    citationsContent: fields({ content: fields({ text: joined }), citations: anything }),
    searchResult: fields({
      source: text,
      title: text,
      content: fields({ text }),
      citations: fields({ enabled: unseen('a switch') }),
    }),
    cachePoint: cacheMark,
  },
};

const tool = fields({
  toolSpec: fields({ name, description: text, inputSchema: fields({ json: schema }), strict: anything }),
  systemTool: fields({ name }),
  cachePoint: cacheMark,
});

const jsonSchema = fields({ name, description: text, schema: json });

const requestFields: Readonly<Record<string, TextLocation>> = {
  system: block,
  messages: { ...fields({ role: word, content: block }), turn: 'by role' },
  toolConfig: fields({
    tools: tool,
    toolChoice: fields({ auto: unseen('a switch'), any: unseen('a switch'), tool: fields({ name }) }),
  }),
  inferenceConfig: fields({
    maxTokens: number,
    temperature: number,
    topP: number,
    stopSequences: fixed('a placeholder would end the response elsewhere'),
  }),
  /** Fields of the families of models, which have no common type. */
  additionalModelRequestFields: fields({
    thinking: fields({ type: word, display: word, budget_tokens: number }),
    reasoning_config: fields({ type: word, budget_tokens: number }),
    reasoningConfig: fields({ type: word, maxReasoningEffort: word }),
    reasoning_effort: word,
    output_config: fields({ effort: word }),
    anthropic_beta: word,
    inferenceConfig: fields({ topK: number }),
    top_k: number,
    k: number,
  }),
  outputConfig: fields({ effort: word, textFormat: fields({ type: word, structure: fields({ jsonSchema }) }) }),
  // Fields that the model does not see.
  modelId: exempt('the path names it'),
  requestMetadata: unseen("the vendor's log has it"),
  additionalModelResponseFieldPaths: unseen('which fields the response has'),
  performanceConfig: fields({ latency: word }),
  serviceTier: fields({ type: word }),
};

export const converseRequestLocations = fields({
  ...requestFields,
  // A request whose tokens are counted.
  input: fields({ converse: fields(requestFields), invokeModel: fields({ body: bytesOfFile }) }),
});

/** A body of the Messages API at this vendor. */
export const invokeRequestLocations = fields({
  ...messagesRequestLocations.fields,
  anthropic_version: word,
  anthropic_beta: word,
});
