// What the probes of the Responses API share: the smallest request, a tool, a format.
import type OpenAI from 'openai';
import { type Notes, probesOf, reasoningModels } from '../probe.ts';

type Request = Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, 'model' | 'stream'> & {
  readonly stream?: boolean;
};
export type Item = OpenAI.Responses.ResponseInputItem;
export type Content = OpenAI.Responses.ResponseInputContent;

export const hello: Item = { role: 'user', content: 'Hello' };
export const { field, beside } = probesOf<Request>({ input: [hello] });

export const tool = (fields: object = {}): OpenAI.Responses.FunctionTool => ({
  type: 'function',
  name: 'weather',
  parameters: { type: 'object' },
  strict: false,
  ...fields,
});
export const schema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
export const format = (fields: object = {}) => ({
  format: { type: 'json_schema' as const, name: 'city', schema, ...fields },
});
export const thinks: Notes = { models: reasoningModels };
