import { afterAll, beforeAll, describe, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import {
  call,
  expectAcceptance,
  expectRefusal,
  history,
  messageWith,
  type Refusal,
  request,
  result,
  text,
  user,
} from './post-message.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
});
afterAll(() => simulator.close());

const older = (...messages: readonly object[]) => ({ ...history(...messages), model: 'claude-sonnet-4-5' });

const newer = (...messages: readonly object[]) => ({ ...history(...messages), model: 'claude-opus-5' });

const empty = 'messages: text content blocks must be non-empty';

const blank = 'messages: text content blocks must contain non-whitespace text';

const noPrefill =
  'This model does not support assistant message prefill. The conversation must end with a user message.';

describe('messages to the assistant provider', () => {
  it.each<Refusal>([
    ['none', history(), 'messages: at least one message is required'],
    ['null', { messages: null }, 'messages: Input should be a valid array'],
    ['a text', { messages: 'x' }, 'messages: Input should be a valid array'],
    ['one that is no object', { messages: ['x'] }, 'messages.0: Input should be an object'],
    ['one without a role', history({ content: 'x' }), 'messages.0.role: Field required'],
    [
      'an unknown role',
      history({ role: 'tool', content: 'x' }),
      'messages: Unexpected role "tool". Allowed roles are "user" or "assistant"',
    ],
    ['a developer', history(user, { role: 'developer', content: 'x' }), /^messages: Unexpected role "developer"/],
    ['one without content', history({ role: 'user' }), 'messages.0.content: Field required'],
    ['content null', history(request(null)), 'messages.0.content: Input should be a valid array'],
    ['content as a number', history(request(7)), 'messages.0.content: Input should be a valid array'],
    ['an unknown field', history({ ...user, name: 'x' }), 'messages.0.name: Extra inputs are not permitted'],
    [
      'tool_calls',
      history(user, { ...messageWith('x'), tool_calls: [] }, user),
      /^messages.1.tool_calls: Extra inputs/,
    ],
    ['a block that is none', history(request([7])), 'messages.0.content.0: Input should be an object'],
    ['a block without a type', history(request([{}])), 'messages.0.content.0.type: Field required'],
    [
      'a block of another vendor',
      history(request([{ type: 'image_url', image_url: { url: 'https://a/b' } }])),
      /^messages.0.content.0: Input tag 'image_url' found using 'type' does not match any of the expected tags: /,
    ],
    [
      'a text block without text',
      history(request([{ type: 'text' }])),
      'messages.0.content.0.text.text: Field required',
    ],
    [
      'an unknown field of a block',
      history(request([{ ...text('x'), id: 1 }])),
      /^messages.0.content.0.text.id: Extra/,
    ],
    ['the assistant first', history(messageWith('x'), user), 'messages: first message must use the "user" role'],
  ])('refuses %s', (...row) => expectRefusal(simulator, row));

  it.each<readonly [string, object]>([
    ['of one role in a row', history(user, user, messageWith('x'), messageWith('y'), user)],
    ['of the assistant that say nothing', history(user, messageWith([]), user, messageWith(''), user)],
    ['that end with the assistant saying nothing', history(user, messageWith([]))],
    ['of the user that say nothing beside others', history(request([]), user, request(''))],
    ['of blanks beside words', history(request([text(' '), text('x')]))],
  ])('accepts messages %s', (_name, change) => expectAcceptance(simulator, change));
});

describe('text blocks', () => {
  it.each<Refusal>([
    ['of the user, empty', history(request('')), 'messages.0: user messages must have non-empty content'],
    [
      'of the user, no block',
      history(user, messageWith('x'), request([])),
      'messages.2: user messages must have non-empty content',
    ],
    ['of the user, an empty block', history(request([text('')])), empty],
    ['of the user, an empty block beside words', history(request([text('x'), text('')])), empty],
    ['of the user, blanks', history(request(' \n')), blank],
    ['of the user, a block of blanks', history(request([text('\t')])), blank],
    ['of the assistant, an empty block', history(user, messageWith([text('')]), user), empty],
    ['of the assistant, blanks', history(user, messageWith('  '), user), blank],
    [
      'of the assistant, blanks beside a call',
      history(user, messageWith([text(' '), call('a')]), request([result('a')])),
      blank,
    ],
    [
      'of a result, an empty block',
      history(user, messageWith([call('a')]), request([result('a', { content: [text('')] })])),
      empty,
    ],
    [
      'of a document, an empty block',
      history(request([{ type: 'document', source: { type: 'content', content: [text('')] } }])),
      empty,
    ],
  ])('are refused: %s', (...row) => expectRefusal(simulator, row));
});

describe('system messages', () => {
  const system = (content: unknown) => ({ role: 'system', content });

  it.each<Refusal>([
    [
      'first',
      newer(system('x'), user),
      /^messages.0: use the top-level 'system' parameter for the initial system prompt/,
    ],
    ['first, to an older model too', older(system('x'), user), /^messages.0: use the top-level 'system' parameter/],
    ['to an older model', older(user, system('x')), "role 'system' is not supported on this model"],
    [
      'before the user',
      newer(user, system('x'), system('y'), user),
      /^messages.2: role 'system' must precede an 'assistant'/,
    ],
    [
      'after the assistant',
      newer(user, messageWith('x'), system('y'), user),
      /^messages.2: role 'system' must follow a 'user'/,
    ],
    [
      'between a call and its result',
      newer(user, messageWith([call('a')]), system('x'), request([result('a')])),
      /^messages.2: role 'system' must follow a 'user'/,
    ],
    ['of no blocks', newer(user, system([])), 'messages.1: system content must contain at least one block'],
    [
      'of images',
      newer(user, system([{ type: 'image', source: { type: 'url', url: 'https://a/b' } }])),
      "messages.1: role 'system' supports text, tool_addition, and tool_removal blocks only",
    ],
    ['of blanks', newer(user, system('  ')), 'messages.1: system text blocks must contain non-whitespace text'],
  ])('are refused %s', (...row) => expectRefusal(simulator, row));

  it.each<readonly [string, object]>([
    ['last', newer(user, system('x'), system([text('y')]))],
    ['before the assistant', newer(user, system('x'), messageWith('y'), user)],
    ['after results', newer(user, messageWith([call('a')]), request([result('a')]), system('x'))],
  ])('are accepted %s', (_name, change) => expectAcceptance(simulator, change));
});

describe('a final assistant message to continue', () => {
  it.each<Refusal>([
    ['by a newer model', history(user, messageWith('It is')), noPrefill],
    ['by a newer model, in blocks', newer(user, messageWith([text('It is')])), noPrefill],
    [
      'in blanks',
      older(user, messageWith('It is ')),
      'messages: final assistant content cannot end with trailing whitespace',
    ],
    ['in a line end', older(user, messageWith([text('a'), text('It is\n')])), /trailing whitespace$/],
  ])('is refused %s', (...row) => expectRefusal(simulator, row));

  it('is accepted by an older model', () => expectAcceptance(simulator, older(user, messageWith('It is'))));
});
