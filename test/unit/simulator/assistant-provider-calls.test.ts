import { afterAll, beforeAll, describe, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import {
  call,
  expectAcceptance,
  expectRefusal,
  history,
  messageWith,
  png,
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

const withoutResult = (index: number, ids: string) =>
  `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;

const stray = (at: string, id: string) =>
  `${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;

describe('tool calls', () => {
  it.each<Refusal>([
    ['without an id', history(user, messageWith([call('a', { id: undefined })])), /tool_use.id: Field required$/],
    [
      'with a dot in the id',
      history(user, messageWith([call('a.b')])),
      "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    ],
    [
      'with a dot in the name',
      history(user, messageWith([call('a', { name: 'b.c' })])),
      /tool_use.name: String should match/,
    ],
    [
      'with input as text',
      history(user, messageWith([call('a', { input: '{}' })])),
      'messages.1.content.0.tool_use.input: Input should be an object',
    ],
    ['without input', history(user, messageWith([call('a', { input: undefined })])), /tool_use.input: Field required$/],
    [
      'with arguments',
      history(user, messageWith([call('a', { arguments: '{}' })])),
      /tool_use.arguments: Extra inputs/,
    ],
    [
      'in a user message',
      history(request([call('a')])),
      'messages.0.content.0: `tool_use` blocks can only be in `assistant` messages',
    ],
    ['without a result', history(user, messageWith([call('a')])), withoutResult(1, 'a')],
    ['followed by text instead of a result', history(user, messageWith([call('a')]), user), withoutResult(1, 'a')],
    [
      'with a result that is too late',
      history(user, messageWith([call('a')]), user, messageWith('x'), request([result('a')])),
      withoutResult(1, 'a'),
    ],
    [
      'with a result after text',
      history(user, messageWith([call('a')]), request([text('x'), result('a')])),
      withoutResult(1, 'a'),
    ],
    [
      'with a result in the message after text',
      history(user, messageWith([call('a')]), user, request([result('a')])),
      withoutResult(1, 'a'),
    ],
    [
      'of which some have no result',
      history(user, messageWith([call('a'), call('b'), call('c')]), request([result('b')])),
      withoutResult(1, 'a, c'),
    ],
    [
      'with the same id twice in one turn',
      history(user, messageWith([call('a'), call('a')]), request([result('a')])),
      'messages.1.content.1: `tool_use` ids must be unique',
    ],
    [
      'with the same id in two turns',
      history(user, messageWith([call('a')]), request([result('a')]), messageWith([call('a')]), request([result('a')])),
      'messages.3.content.0: `tool_use` ids must be unique',
    ],
    [
      'in the history of a request without tools',
      { messages: [user, messageWith([call('a')]), request([result('a')])] },
      'Requests which include `tool_use` or `tool_result` blocks must define tools.',
    ],
  ])('are refused %s', (...row) => expectRefusal(simulator, row));

  it.each<readonly [string, object]>([
    ['before text', history(user, messageWith([call('a'), text('x')]), request([result('a')]))],
    [
      'of a tool that the request no longer has',
      history(user, messageWith([call('a', { name: 'stir' })]), request([result('a')])),
    ],
    [
      'with results in any order and in several messages',
      history(
        user,
        messageWith([call('a')]),
        messageWith([call('b')]),
        request([result('b')]),
        request([result('a'), text('and now?')]),
      ),
    ],
    ['with results before a message of text', history(user, messageWith([call('a')]), request([result('a')]), user)],
    [
      'of code that the model ran',
      history(
        user,
        messageWith([call('a', { caller: { type: 'code_execution_20260120', tool_id: 'srvtoolu_1' } })]),
        request([result('a')]),
      ),
    ],
  ])('are accepted %s', (_name, change) => expectAcceptance(simulator, change));
});

describe('tool results', () => {
  it.each<Refusal>([
    [
      'without an id',
      history(user, messageWith([call('a')]), request([{ type: 'tool_result' }])),
      /tool_use_id: Field required$/,
    ],
    ['without a call', history(request([result('a')])), stray('messages.0.content.0', 'a')],
    [
      'of another call',
      history(user, messageWith([call('a')]), request([result('a'), result('b')])),
      stray('messages.2.content.1', 'b'),
    ],
    [
      'of a call of an earlier turn',
      history(user, messageWith([call('a')]), request([result('a')]), messageWith('x'), request([result('a')])),
      stray('messages.4.content.0', 'a'),
    ],
    [
      'twice',
      history(user, messageWith([call('a')]), request([result('a'), result('a')])),
      'messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: a',
    ],
    [
      'of the assistant',
      history(user, messageWith([result('a')]), user),
      'messages.1.content.0: `tool_result` blocks can only be in `user` messages',
    ],
    [
      'null',
      history(user, messageWith([call('a')]), request([result('a', { content: null })])),
      /tool_result.content: Input should be a valid array$/,
    ],
    [
      'an object',
      history(user, messageWith([call('a')]), request([result('a', { content: { temperature: 20 } })])),
      /tool_result.content: Input should be a valid array$/,
    ],
    [
      'a call',
      history(user, messageWith([call('a')]), request([result('a', { content: [call('b')] })])),
      /^messages.2.content.0.tool_result.content.0: Input tag 'tool_use' found/,
    ],
    [
      'an error that is an image',
      history(
        user,
        messageWith([call('a')]),
        request([
          result('a', {
            is_error: true,
            content: [{ type: 'image', source: { type: 'url', url: 'https://a/b' } }],
          }),
        ]),
      ),
      'messages.2.content.0.tool_result: all content must be type "text" if "is_error" is true',
    ],
  ])('are refused: %s', (...row) => expectRefusal(simulator, row));

  it.each<readonly [string, object]>([
    ['nothing', { content: undefined }],
    ['an empty text', { content: '' }],
    ['no blocks', { content: [] }],
    ['an error', { is_error: true, content: 'failed' }],
    [
      'words and images',
      {
        content: [text('x'), { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } }],
      },
    ],
  ])('are accepted: %s', (_name, change) =>
    expectAcceptance(simulator, history(user, messageWith([call('a')]), request([result('a', change)]))),
  );
});

describe('results of the vendor’s own tools', () => {
  const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'tea' } };
  const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] };

  it('are accepted in assistant messages', () =>
    expectAcceptance(simulator, history(user, messageWith([search, found, text('Tea.')]), user)));

  it('are refused in user messages', async () => {
    for (const [block, name] of [
      [search, 'server_tool_use'],
      [found, 'web_search_tool_result'],
    ]) {
      await expectRefusal(simulator, [
        '',
        history(request([block])),
        `messages.0.content.0: \`${name}\` blocks can only be in \`assistant\` messages`,
      ]);
    }
  });

  it('have ids of their own form', () =>
    expectRefusal(simulator, [
      '',
      history(user, messageWith([{ ...search, id: 'toolu_1' }]), user),
      /server_tool_use.id: String should match pattern '\^srvtoolu_/,
    ]));
});
