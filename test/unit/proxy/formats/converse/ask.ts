// Requests for the managed cloud service, built from callers' bodies, and readers of its responses.
import type { IncomingHttpHeaders } from 'node:http';
import { Secret } from '../../../../../common/secret.ts';
import { CapabilityTable } from '../../../../../proxy/catalog/capabilities.ts';
import { findModel } from '../../../../../proxy/catalog/models.ts';
import { parseChatRequest } from '../../../../../proxy/formats/chat-completions/read-request.ts';
import { parseBaseUrl, type StreamReader } from '../../../../../proxy/formats/format.ts';
import { noOwnTools } from '../../../../../proxy/formats/own-tools.ts';
import { managedCloudModels } from '../../../../../proxy/providers/managed-cloud-models.ts';
import { buildRequest, type ProviderCall, type Target } from '../../../../../proxy/providers/provider.ts';

export const models = {
  claude3: 'anthropic.claude-3-5-sonnet-20240620-v1:0',
  claude45: 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
  claude46: 'us.anthropic.claude-sonnet-4-6',
  nova: 'amazon.nova-lite-v1:0',
  llama: 'us.meta.llama3-3-70b-instruct-v1:0',
  mistral: 'mistral.mistral-large-2407-v1:0',
  gptOss: 'openai.gpt-oss-120b-1:0',
} as const;

/** 2026-11-20T12:00:00Z */
export const now = 1_795_176_000_000;
const hi = [{ role: 'user', content: 'Hi' }];
const accessKeys = {
  apiKey: undefined,
  accessKeyId: new Secret('AKIDEXAMPLE'),
  secretAccessKey: new Secret('not-a-secret'),
};

export function callOf(body: object, target: Partial<Target> = {}): ProviderCall {
  const request = parseChatRequest(Buffer.from(JSON.stringify({ model: models.claude46, messages: hi, ...body })));
  const { model } = request;
  return {
    request,
    model,
    capabilities: new CapabilityTable().of('managed-cloud-models', model),
    outputTokensMax: findModel('managed-cloud-models', model)?.limits.maxOutputTokens,
    target: {
      provider: managedCloudModels,
      baseUrl: parseBaseUrl('https://bedrock-runtime.eu-west-1.amazonaws.com'),
      credential: accessKeys,
      providerKeyId: 'stored',
      ownTools: noOwnTools,
      region: 'eu-west-1',
      apiVersion: undefined,
      ...target,
    },
    now,
    images: new Map(),
  };
}

export function build(body: object, target: Partial<Target> = {}) {
  return buildRequest(callOf(body, target));
}

/** The vendor's body for a caller's body. */
export async function sent(body: object): Promise<Readonly<Record<string, unknown>>> {
  return JSON.parse((await build(body)).body);
}

export async function dropped(body: object): Promise<readonly string[] | undefined> {
  return (await build(body)).dropped;
}

export function openStream(body: object = {}, head: IncomingHttpHeaders = {}): StreamReader {
  return managedCloudModels.format.openStream(callOf({ stream: true, ...body }), head, {
    eventBytesMax: 64 * 1024,
  });
}

export function readResponse(response: unknown, body: object = {}) {
  const bytes = Buffer.from(typeof response === 'string' ? response : JSON.stringify(response));
  return managedCloudModels.format.readResponse(callOf(body), { head: {}, body: bytes });
}
