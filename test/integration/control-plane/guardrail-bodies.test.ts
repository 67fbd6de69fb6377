// Guardrails.Test of whole requests and responses through the real server: the texts that proxies inspect, the
// resulting body, and the locations of matches.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  bootstrap,
  createTenant,
  freshName,
  type JsonResponse,
  type OperatorsPlane,
  startOperatorsPlane,
  type TestTenant,
  violated,
} from '../../support/operators.ts';

let plane: OperatorsPlane;
let tenant: TestTenant;
beforeAll(async () => {
  plane = await startOperatorsPlane();
  tenant = await createTenant(plane, await bootstrap(plane), 'acme');
});
afterAll(() => plane.close());

async function guardrail(action: string, check: object, fields: object = {}): Promise<JsonResponse> {
  const made = await plane.expect('Guardrails.Create', tenant.owner.token, {
    ...{ organizationId: tenant.id, name: freshName('guardrail').replace(' ', '-'), check },
    ...{ stage: 'GUARDRAIL_STAGE_BOTH', action: `GUARDRAIL_ACTION_${action}`, ...fields },
  });
  return made.guardrail;
}

const remove = (...made: readonly JsonResponse[]) =>
  Promise.all(made.map(({ id }) => plane.expect('Guardrails.Delete', tenant.owner.token, { id })));

const call = (body: unknown, fields: object = {}) =>
  plane.call('Guardrails.Test', tenant.owner.token, {
    ...{ organizationId: tenant.id, stage: 'GUARDRAIL_STAGE_INPUT' },
    ...{ body: typeof body === 'string' ? body : JSON.stringify(body), ...fields },
  });

async function tried(body: unknown, fields: object = {}): Promise<JsonResponse> {
  const called = await call(body, fields);
  if (!('response' in called)) throw new Error(JSON.stringify(called));
  return called.response;
}

const output = { stage: 'GUARDRAIL_STAGE_OUTPUT' };
const request = {
  model: 'gpt-provider/gpt-4o-mini',
  messages: [
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Mail ada@example.com, or a/b~c' },
        { type: 'text', text: 'and ada@example.com again' },
      ],
    },
    {
      role: 'assistant',
      tool_calls: [
        {
          id: 'call-1',
          type: 'function',
          function: { name: 'send', arguments: '{"a/b":{"to":["x","bob@example.com"]}}' },
        },
      ],
    },
  ],
};

/** The text at a location. */
function valueAt(body: unknown, { pointer, innerPointer, start, end }: JsonResponse): string {
  const at = (value: unknown, path: string): unknown =>
    path
      .split('/')
      .slice(1)
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce((inner, step) => (inner as Record<string, unknown>)[step], value);
  const outer = at(body, pointer);
  const value = innerPointer === undefined ? outer : at(JSON.parse(String(outer)), innerPointer);
  return String(value).slice(start, end);
}

describe('a request that is tried as a whole', () => {
  it('is returned as the model would get it, with the locations of matches', async () => {
    const made = await guardrail('REDACT', { personalData: { types: ['PERSONAL_DATA_TYPE_EMAIL'] } });
    const { blockedBy, body, results } = await tried(request);
    expect(blockedBy).toBe('');
    const left = JSON.parse(body);
    expect(left.messages[1].content.map(({ text }: { text: string }) => text)).toEqual([
      'Mail [EMAIL_1], or a/b~c',
      'and [EMAIL_1] again',
    ]);
    expect(JSON.parse(left.messages[2].tool_calls[0].function.arguments)).toEqual({
      'a/b': { to: ['x', '[EMAIL_2]'] },
    });
    const [{ decision, found, places: locations }] = results;
    expect([decision, found]).toEqual(['GUARDRAIL_DECISION_REDACT', { EMAIL: 3 }]);
    expect(locations.map((location: JsonResponse) => [location.pointer, valueAt(request, location)])).toEqual([
      ['/messages/1/content/0/text', 'ada@example.com'],
      ['/messages/1/content/1/text', 'ada@example.com'],
      ['/messages/2/tool_calls/0/function/arguments', 'bob@example.com'],
    ]);
    expect(locations[2]).toMatchObject({ innerPointer: '/a~1b/to/1', label: 'EMAIL', inName: false });
    await remove(made);
  });

  it('is returned unchanged when nothing matches, with every number as it was written', async () => {
    const made = await guardrail('BLOCK', { words: { phrases: ['Xanadu'] } });
    const text = '{"messages":[{"role":"user","content":"Hello"}],"seed":12345678901234567890,"top_p":1.0}';
    const { body, results } = await tried(text);
    expect(body).toContain('12345678901234567890');
    expect(results).toMatchObject([{ decision: 'GUARDRAIL_DECISION_PASS', places: [] }]);
    await remove(made);
  });

  it('is blocked by matches in texts that cannot be replaced, such as names, and first of all by its size', async () => {
    const words = await guardrail('REDACT', { words: { phrases: ['send'] } });
    const named = await tried(request);
    expect(named).toMatchObject({ blockedBy: words.name, body: '' });
    expect(named.results[0].places).toMatchObject([{ pointer: '/messages/2/tool_calls/0/function/name' }]);
    const size = await guardrail(
      'BLOCK',
      { promptSize: { messagesMax: 2 } },
      { stage: 'GUARDRAIL_STAGE_INPUT', position: 900 },
    );
    expect(await tried(request)).toMatchObject({ blockedBy: size.name });
    await remove(words, size);
  });

  it('has matches in names, and matches across two parts', async () => {
    const made = await guardrail('OBSERVE', { words: { phrases: ['blue heron'] } });
    const { results } = await tried({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'the blue ' },
            { type: 'text', text: 'heron' },
          ],
        },
      ],
      'blue heron': 1,
    });
    const locations: JsonResponse[] = results[0].places;
    expect(locations).toContainEqual(expect.objectContaining({ pointer: '/blue heron', inName: true }));
    expect(locations.map(({ pointer }) => pointer)).toEqual(
      expect.arrayContaining(['/messages/0/content/0/text', '/messages/0/content/1/text']),
    );
    await remove(made);
  });

  it('lists services and models that would be called, and calls none', async () => {
    const made = await guardrail('BLOCK', {
      model: { model: 'gpt-provider/gpt-4o-mini', form: 'judge', criterion: 'prompt_injection' },
    });
    expect((await tried(request)).results).toMatchObject([{ decision: 'GUARDRAIL_DECISION_NOT_TRIED' }]);
    await remove(made);
  });
});

describe('a response that is tried as a whole', () => {
  it('is returned as the caller would get it, with placeholders numbered in each choice', async () => {
    const made = await guardrail('REDACT', { personalData: { types: ['PERSONAL_DATA_TYPE_EMAIL'] } });
    const choice = (index: number, content: string) => ({ index, message: { role: 'assistant', content } });
    const body = { choices: [choice(0, 'a@example.com b@example.com'), choice(1, 'c@example.com')] };
    const left = JSON.parse((await tried(body, output)).body);
    expect(left.choices.map(({ message }: JsonResponse) => message.content)).toEqual([
      '[EMAIL_1] [EMAIL_2]',
      '[EMAIL_1]',
    ]);
    await remove(made);
  });
});

describe('the caller of a tried request', () => {
  it('is named by a key, whose AI system counts too', async () => {
    const keyOf = async (scope: object) => {
      const made = await plane.expect('VirtualKeys.Create', tenant.owner.token, {
        ...{ organizationId: tenant.id, name: freshName('key'), scope },
      });
      return String(made.virtualKey.id);
    };
    const system = await plane.expect('AiSystems.Create', tenant.owner.token, {
      ...{ organizationId: tenant.id, name: 'tried' },
    });
    const own = await keyOf({ kind: 'KEY_SCOPE_KIND_ORGANIZATION', id: tenant.id });
    const ofSystem = await keyOf({ kind: 'KEY_SCOPE_KIND_AI_SYSTEM', id: system.id });
    const chosen = { keyIds: [own], aiSystemIds: [system.id] };
    const made = await guardrail('BLOCK', { words: { phrases: ['brief'] } }, chosen);
    expect((await tried(request)).results).toEqual([]);
    for (const keyId of [own, ofSystem])
      expect(await tried(request, { keyId })).toMatchObject({ blockedBy: made.name });
    expect(await violated(call(request, { keyId: tenant.id }))).toEqual(['key_id']);
    await plane.expect('AiSystems.Delete', tenant.owner.token, { id: system.id });
    // The guardrail still applies to the key.
    expect(await tried(request, { keyId: own })).toMatchObject({ blockedBy: made.name });
    await remove(made);
  });
});

it.each<readonly [string, unknown, object, string]>([
  ['a body that is not JSON', '{"messages":', {}, 'body'],
  ['a list', '[]', {}, 'body'],
  ['a body that is too large', JSON.stringify({ user: 'x'.repeat(600_000) }), {}, 'body'],
  ['JSON that is nested too deep', `{"a":${'['.repeat(2000)}${']'.repeat(2000)}}`, {}, 'body'],
  ['a body and a text', {}, { text: 'Hello' }, 'body'],
])('an invalid body to try is refused: %s', async (_what, body, more, field) => {
  expect(await violated(call(body, more))).toEqual([field]);
});
