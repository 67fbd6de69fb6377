// Routes with what only some clients and targets have: stored responses, guardrails, images by URL, names in paths; and
// the commands of docs/routing.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Behaviour } from '../../../simulator/behaviour.ts';
import type { TestGateway, TestOrganization } from '../../support/gateway.ts';
import { type Operated, startOperated } from '../../support/gatewayctl.ts';
import { projectRoot, until } from '../../support/process.ts';

const gpt = 'gpt-provider/gpt-4o-mini';
const claude = 'assistant-provider/claude-haiku-4-5';
const messages = [{ role: 'user' as const, content: 'Hello' }];
let organizations = 0;
let operated: Operated;
let gateway: TestGateway;
let organization: TestOrganization;
let client: OpenAI;
let key: string;

beforeAll(async () => {
  operated = await startOperated();
  gateway = operated.gateway;
});
beforeEach(async () => {
  gateway.simulator.reset();
  organization = await gateway.createOrganization(`routed-${++organizations}`);
  await organization.storeProviderKeys();
  key = (await organization.createKey()).value;
  client = new OpenAI({ apiKey: key, baseURL: `${gateway.proxy.url}/v1`, maxRetries: 0 });
});
afterAll(() => operated.close());

async function createRoute(name: string, ...models: readonly string[]): Promise<void> {
  const groups = models.map((model) => ({ targets: [{ model }] }));
  await organization.api.call('Routes/Create', { organizationId: organization.id, name, groups });
}

function failGpt(behaviour: Behaviour = { status: 503 }): void {
  gateway.simulator.script(behaviour, { times: 9, when: ({ headers }) => headers['x-api-key'] === undefined });
}

describe('a stored response', () => {
  it('stays with the provider key that has it', async () => {
    const settings = { responses: { stored: true } };
    await organization.api.call('Organizations/UpdateSettings', { id: organization.id, settings });
    await createRoute('claude-first', claude, gpt);
    const made = await client.responses.create({ model: gpt, input: 'Hello' });
    const next = { model: 'claude-first', input: 'And now?', previous_response_id: made.id };
    const { response } = await client.responses.create(next).withResponse();
    expect(response.headers.get('x-svc-provider')).toBe('gpt-provider');
    await createRoute('claude-only', claude);
    await expect(client.responses.create({ ...next, model: 'claude-only' })).rejects.toMatchObject({
      ...{ status: 404, code: 'response_not_found' },
    });
  });
});

describe('guardrails of responses', () => {
  it.each([false, true])('inspect what the next target sends, streamed: %s', async (stream) => {
    await createRoute('fast', gpt, claude);
    await organization.api.call('Guardrails/Create', {
      ...{
        organizationId: organization.id,
        name: 'tickets',
        enabled: true,
        check: { pattern: { patterns: ['T-[0-9]+'] } },
      },
      ...{ stage: 'GUARDRAIL_STAGE_OUTPUT', action: 'GUARDRAIL_ACTION_REDACT' },
    });
    const create = () => client.chat.completions.create({ model: 'fast', messages }).withResponse();
    await until(async () => (await create()).response.headers.get('x-svc-guardrails')?.includes('tickets'), {
      what: 'the proxy to receive the guardrail',
    });
    failGpt();
    const isClaude = { when: ({ headers }: { headers: object }) => 'x-api-key' in headers };
    gateway.simulator.script({ text: 'Look at T-12345 today.', pieceBytes: [7] }, isClaude);
    const pending = client.chat.completions.create({ model: 'fast', messages, stream });
    const { data, response } = await pending.withResponse();
    let text = '';
    if ('choices' in data) text = data.choices[0]?.message.content ?? '';
    else for await (const chunk of data) text += chunk.choices[0]?.delta.content ?? '';
    expect(response.headers.get('x-svc-provider')).toBe('assistant-provider');
    expect(text).toContain('Look at ');
    expect(text).not.toContain('T-12345');
  });
});

describe('a name in the path', () => {
  it('is that of a route: generateContent', async () => {
    await createRoute('fast', gpt, claude);
    failGpt();
    const google = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: gateway.proxy.url } });
    const whole = await google.models.generateContent({ model: 'fast', contents: 'Hello' });
    expect(whole.text).not.toBe('');
    let text = '';
    for await (const piece of await google.models.generateContentStream({ model: 'route/fast', contents: 'Hello' })) {
      text += piece.text ?? '';
    }
    expect(text).not.toBe('');
    expect(gateway.simulator.requests.at(-1)?.headers['x-api-key']).toBeDefined();
  });
});

describe('docs/routing.md', () => {
  it('has commands that work', async () => {
    const { owner } = operated;
    await gateway.organization.storeProviderKeys();
    await owner.expect('systems create shop');
    const page = readFileSync(join(projectRoot, 'docs/routing.md'), 'utf8');
    const [, file = ''] = /```json\n([\s\S]*?)```/.exec(page) ?? [];
    const path = join(tmpdir(), `route-${process.pid}.json`);
    writeFileSync(path, file);
    const section = page.slice(page.indexOf('## Routes'));
    const lines = [...section.matchAll(/^gatewayctl (.+)$/gm)].map(([, line = '']) => line.replace('route.json', path));
    expect(lines.length).toBeGreaterThan(4);
    for (const line of lines) await owner.expect(line);
    expect(await owner.json('routes get smart')).toMatchObject({
      groups: [{ conditions: { streamed: true, hasTools: true } }, { targets: [{ maxOutputTokens: 4000 }] }],
    });
    const apiKey = (await owner.json('keys create tried --allow route/* --allow gpt-provider/*')).value;
    const allowed = new OpenAI({ apiKey, baseURL: `${gateway.proxy.url}/v1`, maxRetries: 0 });
    const { response } = await allowed.chat.completions
      .create({ model: 'smart', messages })
      .withResponse()
      .catch(({ status, code }) => ({ response: { headers: new Map([['x-svc-model', `${status} ${code}`]]) } }));
    // The first group is for streams with tools, and the second one's model is not allowed.
    expect(response.headers.get('x-svc-model')).toBe('403 model_not_allowed');
    expect((await allowed.chat.completions.create({ model: 'fast', messages })).choices).toHaveLength(1);
  });
});
