// Guardrails on streamed responses through the whole gateway, as users of the official SDK see them.
import OpenAI, { APIError, BadRequestError } from 'openai';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Behaviour } from '../../../simulator/behaviour.ts';
import { chatRequest, startGateway, type TestGateway, type TestOrganization } from '../../support/gateway.ts';
import { until } from '../../support/process.ts';
import { recordedRequest } from '../../support/recorded.ts';

let gateway: TestGateway;
let organization: TestOrganization;
let key: string;
let made: string[] = [];
const model = 'gpt-provider/gpt-4o-mini';
const messages = [{ role: 'user' as const, content: 'Hello' }];
const ticket = 'T-20261122';
const tickets = { pattern: { patterns: ['T-[0-9]{8}'] } };

beforeAll(async () => {
  gateway = await startGateway({ proxy: { GATEWAY_IDLE_TIMEOUT: '1s' } });
  organization = gateway.organization;
  key = (await organization.createKey()).value;
});
beforeEach(() => gateway.simulator.reset());
afterEach(async () => {
  for (const id of made) await organization.api.call('Guardrails/Delete', { id });
  made = [];
});
afterAll(() => gateway?.close());

type Action = 'BLOCK' | 'REDACT' | 'OBSERVE';

/** Creates a guardrail of responses and waits until the proxy uses it. */
async function guard(action: Action, check: object, name = `${action}-${made.length}`.toLowerCase()): Promise<void> {
  const { guardrail } = (await organization.api.call('Guardrails/Create', {
    ...{ organizationId: organization.id, name, check, enabled: true },
    ...{ stage: 'GUARDRAIL_STAGE_OUTPUT', action: `GUARDRAIL_ACTION_${action}` },
  })) as { guardrail: { id: string } };
  made.push(guardrail.id);
  await until(async () => (await ask('Hello')).headers.get('x-svc-guardrails')?.includes(name), {
    what: 'the proxy to receive the guardrail',
  });
  gateway.simulator.reset();
}

function ask(content: string, fields: object = {}): Promise<Response> {
  const request = chatRequest(key, { messages: [{ role: 'user', content }], ...fields });
  return fetch(`${gateway.proxy.url}/v1/chat/completions`, request);
}

const client = () => new OpenAI({ baseURL: `${gateway.proxy.url}/v1`, apiKey: key, maxRetries: 0 });
const script = (behaviour: Behaviour) => gateway.simulator.script(behaviour);
const stream = (fields: object = {}) => client().chat.completions.stream({ model, messages, ...fields });

describe('a stream that is redacted', () => {
  it('is read correctly by the helpers of the SDK', async () => {
    await guard('REDACT', tickets);
    script({ text: `Look at ${ticket} or ${ticket}, today.`, pieceBytes: [7] });
    const parsed = stream({ stream_options: { include_usage: true } });
    let text = '';
    parsed.on('content', (delta) => {
      text += delta;
    });
    const completion = await parsed.finalChatCompletion();
    expect(completion.choices[0]?.message.content).toBe('Look at [PATTERN_1] or [PATTERN_1], today.');
    expect(completion.choices[0]?.finish_reason).toBe('stop');
    expect(completion.usage?.completion_tokens).toEqual(expect.any(Number));
    expect(text).toBe(completion.choices[0]?.message.content);
  });

  it('calls tools with arguments that are valid JSON', async () => {
    await guard('REDACT', tickets);
    script({ toolCalls: [{ name: 'send', arguments: JSON.stringify({ to: ticket, count: 2 }) }] });
    const parameters = { type: 'object', properties: { to: { type: 'string' } } };
    const tools = [{ type: 'function' as const, function: { name: 'send', parameters } }];
    const completion = await stream({ tools }).finalChatCompletion();
    const [call] = completion.choices[0]?.message.tool_calls ?? [];
    expect(call?.type === 'function' && JSON.parse(call.function.arguments)).toEqual({
      to: '[PATTERN_1]',
      count: 2,
    });
    expect(completion.choices[0]?.finish_reason).toBe('tool_calls');
  });
});

describe('a stream that is blocked', () => {
  it('before its first byte throws the error of a refusal, and is charged', async () => {
    await guard('BLOCK', { words: { phrases: ['krypton'] } }, 'no-krypton');
    script({ text: 'krypton is a gas', usage: null });
    const error = await stream()
      .finalChatCompletion()
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({
      status: 400,
      code: 'guardrail_blocked',
      message: expect.stringContaining('no-krypton'),
    });
    const line = await logged('guardrail_blocked');
    expect(line).toMatchObject({ status: 400, guardrails: 'no-krypton=block' });
    expect(line.attempts).toBe(1);
    const row = await recordedRequest(gateway, String(line.request_id));
    expect(row).toMatchObject({ estimated: true, status: 400, errorCode: 'guardrail_blocked' });
    expect(Math.min(row.promptTokens, row.completionTokens, Number(row.costUsd))).toBeGreaterThan(0);
  });

  it('later throws inside the stream, which has sent nothing of the match', async () => {
    await guard('BLOCK', { words: { phrases: ['krypton'] } }, 'no-krypton');
    script({ text: `${'A long and harmless sentence. '.repeat(40)}Then krypton.` });
    let text = '';
    const reading = async () => {
      const parsed = await client().chat.completions.create({ model, messages, stream: true });
      for await (const chunk of parsed) text += chunk.choices[0]?.delta.content ?? '';
    };
    const error = await reading().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({
      code: 'guardrail_blocked',
      message: expect.stringContaining('no-krypton'),
    });
    expect(text).toContain('harmless sentence. Then');
    expect(text).not.toContain('k');
  });

  it('in the arguments of a call throws the same', async () => {
    await guard('BLOCK', { words: { phrases: ['krypton'] } }, 'no-krypton');
    script({ toolCalls: [{ name: 'send', arguments: '{"to":"krypton"}' }] });
    const parameters = { type: 'object', properties: { to: { type: 'string' } } };
    const tools = [{ type: 'function' as const, function: { name: 'send', parameters } }];
    const error = await stream({ tools })
      .finalChatCompletion()
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'guardrail_blocked' });
  });

  it('by a service sends nothing', async () => {
    await guard('BLOCK', { moderation: {} }, 'moderated');
    script({ text: 'Some words first, then flag:violence here.' });
    const error = await stream()
      .finalChatCompletion()
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({ code: 'guardrail_blocked' });
  });
});

describe('a stream that a service decides', () => {
  it('is sent after its decision', async () => {
    await guard('BLOCK', { moderation: {} }, 'moderated');
    script({ text: 'Nothing wrong with this.' });
    const completion = await stream().finalChatCompletion();
    expect(completion.choices[0]?.message.content).toBe('Nothing wrong with this.');
  });
});

describe('a stream whose text is withheld', () => {
  it('is not idle as long as the provider sends', async () => {
    await guard('BLOCK', { moderation: {} }, 'moderated');
    script({ tokens: 8, pieceDelayMs: 300 });
    const completion = await stream().finalChatCompletion();
    expect(completion.choices[0]?.finish_reason).toBe('stop');
  });

  it('times out when the provider falls silent, and nothing of it is sent', async () => {
    await guard('BLOCK', { moderation: {} }, 'moderated');
    script({ tokens: 8, stop: { by: 'silence', afterPieces: 4 } });
    const response = await ask('Hello', { stream: true });
    expect([response.status, await response.json()]).toMatchObject([504, { error: { code: 'upstream_timeout' } }]);
  });

  it('cancels the provider when its client leaves', async () => {
    await guard('BLOCK', { moderation: {} }, 'moderated');
    script({ tokens: 1000, pieceDelayMs: 200 });
    const leaving = new AbortController();
    const request = chatRequest(key, { stream: true });
    const pending = fetch(`${gateway.proxy.url}/v1/chat/completions`, { ...request, signal: leaving.signal });
    await until(() => gateway.simulator.requests.length === 1, { what: 'the provider to be called' });
    leaving.abort();
    await expect(pending).rejects.toThrow();
    expect(await logged('client_left')).toMatchObject({ status: 499 });
  });
});

/** The line of the access log with this code. */
async function logged(code: string): Promise<Record<string, unknown>> {
  const found = () => gateway.logs.findLast((line) => line.includes(`"${code}"`));
  return JSON.parse(await until(found, { what: `a log line with ${code}` })) as Record<string, unknown>;
}
