import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import {
  boil,
  expectAcceptance,
  expectRefusal,
  messageWith,
  post,
  request,
  text,
  user,
  valid,
} from './post-message.ts';

// Responses of the simulator that are sent back as history: with their thinking, changed, cut off, or from elsewhere.

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
});
afterAll(() => simulator.close());
beforeEach(() => simulator.reset());

interface Block {
  readonly type: string;
  readonly id?: string;
}

const manual = {
  model: 'claude-opus-4-5',
  max_tokens: 4_000,
  thinking: { type: 'enabled', budget_tokens: 1_024 },
};
const adaptive = { thinking: { type: 'adaptive' } };
const opus5 = { model: 'claude-opus-5' };

/** Returns a response with a tool call, after its thinking. */
async function called(mode: object, behaviour: object = {}): Promise<readonly Block[]> {
  simulator.script({
    toolCalls: [{ name: 'boil', arguments: '{"cups":2}' }],
    reasoning: 'Need a kettle.',
    ...behaviour,
  });
  const response = await post(simulator, { ...valid, tools: [boil], ...mode });
  return response.json().content;
}

function replied(mode: object, content: readonly Block[], ...more: readonly object[]) {
  const results = content
    .filter(({ type }) => type === 'tool_use')
    .map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'done' }));
  const messages = [user, messageWith(content), results.length > 0 ? request(results) : user, ...more];
  return { tools: [boil], ...mode, messages };
}

const at = (path: string) => new RegExp(`^${path.replaceAll('.', '\\.')}`);
const expected = (found: string) =>
  new RegExp(`^messages.1.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${found}\``);

describe('thinking in the history of a request', () => {
  it.each<readonly [string, object]>([
    ['within a budget', manual],
    ['as the model saw fit', adaptive],
    ['kept back', opus5],
  ])('is accepted as it was issued %s', async (_name, mode) => {
    const content = await called(mode);
    expect(content.map(({ type }) => type)).toEqual(['thinking', 'tool_use']);
    await expectAcceptance(simulator, replied(mode, content));
  });

  it('is accepted when it was encrypted', async () => {
    const content = await called(manual, { reasoningRedacted: true });
    await expectAcceptance(simulator, replied(manual, content));
    const forged = [{ type: 'redacted_thinking', data: 'AAAA' }, ...content.slice(1)];
    await expectRefusal(simulator, ['', replied(manual, forged), /Invalid `data` in `redacted_thinking` block$/]);
  });

  it.each<readonly [string, (signature: string) => string]>([
    ['made up', () => 'c2ln'],
    ['empty', () => ''],
    ['no base64', () => '!!!'],
    ['cut', (signature) => signature.slice(0, 40)],
    ['changed in a letter', (signature) => signature.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))],
  ])('is refused with a signature that is %s, whatever the mode', async (_name, change) => {
    for (const mode of [manual, adaptive, {}]) {
      const [thinking, call] = (await called(manual)) as readonly [Block & { signature: string }, Block];
      const forged = [{ ...thinking, signature: change(thinking.signature) }, call];
      await expectRefusal(simulator, [
        '',
        replied(mode, forged),
        'messages.1.content.0: Invalid `signature` in `thinking` block',
      ]);
    }
  });

  it('is refused with another text, in the latest message of the assistant', async () => {
    const [thinking, call] = (await called(adaptive)) as readonly [Block, Block];
    const changed = [{ ...thinking, thinking: 'Need a pan.' }, call];
    await expectRefusal(simulator, [
      '',
      replied(adaptive, changed),
      at(
        'messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.',
      ),
    ]);
    await expectAcceptance(simulator, replied(adaptive, changed, messageWith('x'), user));
  });

  it('is refused without its signature, or with extra fields', async () => {
    const [thinking, call] = (await called(adaptive)) as readonly [Block & { signature?: string }, Block];
    const { signature: _, ...unsigned } = thinking;
    await expectRefusal(simulator, ['', replied(adaptive, [unsigned, call]), /thinking.signature: Field required$/]);
    const marked = { ...thinking, cache_control: { type: 'ephemeral' } };
    await expectRefusal(simulator, ['', replied(adaptive, [marked, call]), /thinking.cache_control: Extra inputs/]);
  });

  it('is refused in a user message, and as the last block of all', async () => {
    const [thinking] = (await called(adaptive)) as readonly [Block];
    await expectRefusal(simulator, [
      '',
      { messages: [request([thinking])] },
      'messages.0.content.0: `thinking` blocks can only be in `assistant` messages',
    ]);
    await expectRefusal(simulator, [
      '',
      { messages: [user, messageWith([thinking])] },
      'messages.1: The final block in an assistant message cannot be `thinking`.',
    ]);
    await expectAcceptance(simulator, { messages: [user, messageWith([thinking]), user] });
  });
});

describe('the position of thinking in the history', () => {
  it('is before the call, within a budget', async () => {
    const [, call] = (await called(manual)) as readonly [Block, Block];
    await expectRefusal(simulator, ['', replied(manual, [call]), expected('tool_use')]);
    await expectRefusal(simulator, ['', replied(manual, [text('On it.'), call]), expected('text')]);
  });

  it('is before the first call of several in a row, within a budget', async () => {
    const first = await called(manual);
    const history = replied(manual, first);
    simulator.script({ toolCalls: [{ name: 'boil', arguments: '{}' }] });
    const second = (await post(simulator, { ...valid, ...history })).json().content as readonly Block[];
    // Between calls the model does not think again.
    expect(second.map(({ type }) => type)).toEqual(['tool_use']);
    const result = { type: 'tool_result', tool_use_id: second[0]?.id, content: 'done' };
    const messages = [...history.messages, messageWith(second), request([result])];
    await expectAcceptance(simulator, { ...history, messages });
    const bare = [user, messageWith(first.slice(1)), ...messages.slice(2)];
    await expectRefusal(simulator, ['', { ...history, messages: bare }, expected('tool_use')]);
  });

  it('is also before later calls, when thinking is interleaved with them', async () => {
    const history = replied(manual, await called(manual));
    const headers = { 'anthropic-beta': 'interleaved-thinking-2025-05-14' };
    const response = await post(simulator, { ...valid, ...history }, { headers });
    expect(response.json().content[0].type).toBe('thinking');
  });

  it('is first in its message, within a budget', async () => {
    const [thinking, call] = (await called(manual)) as readonly [Block, Block];
    await expectRefusal(simulator, [
      '',
      replied(manual, [text('x'), thinking, call], messageWith('x'), user),
      /^messages.1.content.0: If an assistant message contains any thinking blocks, the first block must be/,
    ]);
  });

  it('is free, and thinking may be absent, in the other modes and without calls', async () => {
    const [thinking, call] = (await called(manual)) as readonly [Block, Block];
    for (const mode of [adaptive, opus5, {}]) {
      await expectAcceptance(simulator, replied(mode, [call]));
      await expectAcceptance(simulator, replied(mode, [text('x'), thinking, call]));
    }
    await expectAcceptance(simulator, replied(manual, [text('x')]));
  });

  it('leaves no room for a final assistant message to continue', async () => {
    const prefilled = { ...manual, messages: [user, messageWith('It is')] };
    await expectRefusal(simulator, ['', prefilled, expected('text')]);
  });
});
