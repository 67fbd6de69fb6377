// The requests of each client format as the official SDKs type them. sdk-fields.ts reads the paths of their fields.
import type Anthropic from '@anthropic-ai/sdk';
import type { ConverseRequest } from '@aws-sdk/client-bedrock-runtime';
import type { Content, GenerateContentConfig, GenerationConfig, SafetySetting, Tool, ToolConfig } from '@google/genai';
import type OpenAI from 'openai';

export type ChatCompletions = OpenAI.ChatCompletionCreateParamsNonStreaming;

/** With the betas, which have all fields of the other type. */
export type Messages = Anthropic.Beta.MessageCreateParamsNonStreaming;

export type Responses = OpenAI.Responses.ResponseCreateParamsNonStreaming;

/** Its path has `modelId`, and says whether the response is a stream. */
export interface Converse extends Omit<ConverseRequest, 'modelId'> {}

/**
 * The body of v1beta's `generateContent`. The SDK has types for its parts alone: its own `config` has the fields of
 * `generationConfig` beside those of the body.
 */
export interface GenerateContent
  extends Pick<GenerateContentConfig, 'cachedContent' | 'labels' | 'serviceTier' | 'modelArmorConfig'> {
  readonly contents: Content[];
  readonly systemInstruction?: Content;
  readonly generationConfig?: GenerationConfig;
  readonly safetySettings?: SafetySetting[];
  readonly tools?: Tool[];
  readonly toolConfig?: ToolConfig;
}

/** The SDK's own `config`, for the fields that no type of the body has. */
export type GenerateContentSdkConfig = GenerateContentConfig;
