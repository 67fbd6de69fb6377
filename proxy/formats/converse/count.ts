// The counter of Converse (SDK types `CountTokensRequest`, `ConverseTokensRequest` of @aws-sdk/client-bedrock-runtime).
import type { CountForm } from '../count-form.ts';
import { withoutMembers } from '../splice.ts';

/** Fields of `ConverseRequest` that `ConverseTokensRequest` lacks. */
const ofCalls: ReadonlySet<string> = new Set([
  ...['additionalModelResponseFieldPaths', 'guardrailConfig', 'inferenceConfig', 'modelId', 'outputConfig'],
  ...['performanceConfig', 'promptVariables', 'requestMetadata', 'serviceTier'],
]);

export const converseCount: CountForm = {
  writeBody: (body) => `{"input":{"converse":${withoutMembers(body, ofCalls)}}}`,
  tokensIn: ({ inputTokens }) => inputTokens,
  // Few models have a counter, and the vendor's words for that differ by model and by the form of its name.
  lacksModel: ({ message }) => /counting tokens|model identifier|on-demand throughput/i.test(message),
};

/**
 * The name of a model at the counter. It refuses inference profiles, which a geography or `global` in front of the name
 * means, and takes the model within them. No model of another maker is known to have a counter.
 */
export function countedModel(model: string): string {
  return model.replace(/^[a-z-]+\.(?=anthropic\.)/, '');
}
