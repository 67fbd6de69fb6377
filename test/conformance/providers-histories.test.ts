// A response of any provider sent back as history to every provider, with tool calls and their results, thoughts and
// the vendor's signatures. The client sends responses back unchanged, as its stream helper joined them, or with only
// the keys that it knows. Each pair of models is tried with one kind of client, so that each model is first and second
// with every kind; GATEWAY_TEST_ROUNDS=3 tries each pair with every kind.
import type OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Behaviour } from '../../simulator/index.ts';
import type { VendorName } from '../../simulator/vendors.ts';
import { roundsOf } from '../support/seed.ts';
import { modelFor, type Scene, startScene } from './providers/scene.ts';
import { boil, stir } from './providers/tools.ts';

type Message = OpenAI.ChatCompletionMessageParam;
type ReadResponse = OpenAI.ChatCompletionMessage;

interface Speaker {
  readonly vendor: VendorName;
  readonly model: string;
  /** Fields that make the model think, if it can. */
  readonly ask?: Readonly<Record<string, unknown>>;
  /** Text of the vendor's body that shows that its own signature came back. */
  readonly signed?: string;
}

const thinks = { reasoning_effort: 'low' };
const speakers: readonly Speaker[] = [
  { vendor: 'gpt-provider', model: 'gpt-4o-mini' },
  { vendor: 'gpt-provider', model: 'gpt-5', ask: thinks },
  { vendor: 'studio-ai', model: 'gpt-4o-mini' },
  { vendor: 'studio-ai', model: 'Mistral-Large-3' },
  {
    vendor: 'managed-cloud-models',
    model: 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
    ask: thinks,
    signed: '"signature"',
  },
  { vendor: 'managed-cloud-models', model: 'amazon.nova-lite-v1:0' },
  { vendor: 'managed-cloud-models', model: 'mistral.mistral-large-2407-v1:0' },
  { vendor: 'assistant-provider', model: 'claude-sonnet-4-5', ask: thinks, signed: '"signature"' },
  { vendor: 'assistant-provider', model: 'claude-opus-5', ask: thinks, signed: '"signature"' },
  { vendor: 'search-provider', model: 'gemini-2.5-flash', ask: thinks },
  { vendor: 'search-provider', model: 'gemini-3-flash-preview', ask: thinks, signed: '"thoughtSignature"' },
];

const pairs = speakers.flatMap((first) => speakers.map((then) => [first, then] as const));

/** The pairs for the client with this index. */
function pairsFor(client: number) {
  const speakerAt = (speaker: Speaker) => speakers.indexOf(speaker);
  return pairs
    .filter(([first, then]) => (speakerAt(first) + speakerAt(then) + client) % clients.length < roundsOf(1))
    .map(([first, then]) => [nameOf(first), nameOf(then), first, then] as const);
}

function nameOf({ vendor, model }: Speaker): string {
  return `${vendor}/${model}`;
}

const clients: readonly (readonly [string, (request: RequestTarget) => Promise<ReadResponse>])[] = [
  ['of whole responses', whole],
  ['of streamed responses', streamed],
  ['of a client that drops unknown keys', async (request) => knownKeys(await whole(request))],
];

interface RequestTarget {
  readonly client: OpenAI;
  readonly body: OpenAI.ChatCompletionCreateParamsNonStreaming;
}

async function whole({ client, body }: RequestTarget): Promise<ReadResponse> {
  return messageOf(await client.chat.completions.create(body));
}

async function streamed({ client, body }: RequestTarget): Promise<ReadResponse> {
  const stream = client.chat.completions.stream({ ...body, stream: true });
  return messageOf(await stream.finalChatCompletion());
}

function messageOf({ choices: [choice] }: OpenAI.ChatCompletion): ReadResponse {
  if (choice === undefined) throw new Error('no choice');
  return choice.message;
}

function knownKeys({ role, content, refusal, tool_calls: calls }: ReadResponse): ReadResponse {
  const tool_calls = calls?.map((call) => {
    if (call.type !== 'function') throw new Error('a call of a kind that was not offered');
    const { id, type, function: called } = call;
    return { id, type, function: { name: called.name, arguments: called.arguments } };
  });
  return { role, content, refusal, ...(tool_calls && { tool_calls }) };
}

const scripted: Behaviour = {
  reasoning: 'A kettle is needed.',
  text: 'On it 🫖.',
  toolCalls: [
    { name: 'boil', arguments: '{"cups":2}' },
    { name: 'stir', arguments: '{}' },
  ],
};
const opening: readonly Message[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Boil two cups and stir.' },
];

let scene: Scene;
beforeAll(async () => {
  scene = await startScene();
});
beforeEach(() => scene.gateway.simulator.reset());
afterAll(() => scene.close());

function ask({ vendor, model, ask: fields }: Speaker, messages: readonly Message[]): RequestTarget {
  const body = { model: modelFor(vendor, 'stored key', model), tools: [boil, stir], ...fields };
  return { client: scene.client(vendor), body: { ...body, messages: [...messages] } };
}

function resultsOf({ tool_calls: calls = [] }: ReadResponse): readonly Message[] {
  return calls.map(({ id }, index) => ({ role: 'tool', tool_call_id: id, content: `result ${index + 1}` }));
}

describe.each(clients.map(([name, send], index) => [name, send, index] as const))(
  'a history %s',
  (_name, send, index) => {
    it.each(pairsFor(index))('begun at %s is accepted by %s', async (_first, _then, first, then) => {
      scene.gateway.simulator.script(scripted);
      const response = await send(ask(first, opening));
      expect(response.tool_calls).toHaveLength(2);
      const called = [...opening, response, ...resultsOf(response)];
      const second = await send(ask(then, called));
      expect(second.content).toContain('simulated');
      const received = scene.received().body.toString();
      for (const parsed of ['result 1', 'result 2', 'cups']) expect(received).toContain(parsed);

      const third = await send(ask(then, [...called, second, { role: 'user', content: 'And now?' }]));
      expect(third.content).toContain('simulated');
      // Back to the first provider, with a response of the other provider at the end.
      const fourth = await send(ask(first, [...called, second, { role: 'user', content: 'And now?' }]));
      expect(fourth.content).toContain('simulated');
    });
  },
);

describe('the signature of a vendor', () => {
  const signing = speakers.filter(({ signed }) => signed !== undefined);
  const cases = signing.flatMap((speaker) =>
    clients.slice(0, 2).map(([name, send]) => [nameOf(speaker), name, speaker, send] as const),
  );

  it.each(cases)('comes back to %s in a history %s', async (_speaker, _name, speaker, send) => {
    scene.gateway.simulator.script(scripted);
    const response = await send(ask(speaker, opening));
    await send(ask(speaker, [...opening, response, ...resultsOf(response)]));
    const received = scene.received().body.toString();
    expect(received).toContain(speaker.signed);
    // The placeholder of a lost signature.
    expect(received).not.toContain('skip_thought_signature_validator');
  });
});
