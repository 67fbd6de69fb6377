import { afterAll, beforeAll, describe, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import { redactedThought, signThought } from '../../../simulator/managed-cloud-models/thinking.ts';
import {
  type Acceptance,
  assistant,
  call,
  deepseek,
  expectAcceptance,
  expectRefusal,
  haiku3,
  hello,
  history,
  llama,
  nova2,
  novaLite,
  type Refusal,
  result,
  sonnet46,
  text,
  turn,
  user,
} from './post-converse.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
});
afterAll(() => simulator.close());

describe('turns of a conversation', () => {
  it.each<Refusal>([
    [
      'no messages',
      history(),
      'A conversation must start with a user message. Try again with a conversation that starts with a user message.',
    ],
    ['messages that are not there', { messages: undefined }, 'A conversation must start with a user message.'],
    ['an assistant first', history(assistant(text), hello), 'A conversation must start with a user message.'],
    [
      'two users in a row',
      history(hello, hello),
      'A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.',
    ],
    [
      'two assistants in a row',
      history(hello, assistant(text), assistant(text), hello),
      'A conversation must alternate',
    ],
    [
      'a message without blocks',
      history(hello, assistant(), hello),
      'The content field in the Message object at messages.1 is empty. Add a ContentBlock object to the content field and try again.',
    ],
    [
      'a text that is empty',
      history(user(text, { text: '' })),
      'The text field in the ContentBlock object at messages.0.content.1 is blank. Add text to the text field, and try again.',
    ],
    [
      'a text of spaces',
      history(user({ text: ' \n' })),
      'The model returned the following errors: messages: text content blocks must contain non-whitespace text',
    ],
    ['a text of spaces, of another model', history(user({ text: ' \n' })), 'messages.0.content.0 is blank', llama],
    [
      'a system text of spaces',
      { system: [{ text: ' ' }] },
      'system: text content blocks must contain non-whitespace text',
    ],
    [
      'an assistant last',
      history(hello, assistant(text)),
      'This model does not support assistant message prefill. The conversation must end with a user message.',
      sonnet46,
    ],
    [
      'an assistant last, of another family',
      history(hello, assistant(text)),
      'A conversation must end with a user message. Try again with a conversation that ends with a user message.',
      novaLite,
    ],
    [
      'a prefilled response that ends with a space',
      history(hello, assistant({ text: 'The ' })),
      'messages: final assistant content cannot end with trailing whitespace',
    ],
    [
      'an image of the assistant',
      history(hello, assistant({ image: { format: 'png', source: { bytes: 'AAAA' } } }), hello),
      'The image block at messages.1.content.0 can only be included in a message with the user role.',
    ],
    [
      'a tool result of the assistant',
      history(hello, assistant({ toolResult: { toolUseId: 'a', content: [] } }), hello),
      'The toolResult block at messages.1.content.0',
    ],
    [
      'a tool call of the user',
      history(user({ toolUse: { toolUseId: 'a', name: 'a', input: {} } })),
      'The toolUse block at messages.0.content.0',
    ],
    [
      'citations to a model that takes no documents',
      history(hello, assistant({ citationsContent: { content: [text] } }), hello),
      "This model doesn't support the citationsContent field.",
      llama,
    ],
    [
      'a thought of the user',
      history(user({ reasoningContent: { reasoningText: { text: 'x' } } })),
      'User messages cannot contain reasoning content.',
    ],
  ])('refuse %s', (...row) => expectRefusal(simulator, row));

  it.each<Acceptance>([
    ['several texts in a turn', history(user(text, text), assistant(text, text), hello)],
    ['a prefilled response', history(hello, assistant({ text: 'The' })), haiku3],
    ['guarded content', history(user({ guardContent: { text: { text: 'x', qualifiers: ['query'] } } }, text))],
    [
      'a response with citations sent back',
      history(
        hello,
        assistant({
          citationsContent: {
            content: [text],
            citations: [
              {
                title: 'a',
                sourceContent: [text],
                location: { documentChar: { documentIndex: 0, start: 0, end: 3 } },
              },
            ],
          },
        }),
        hello,
      ),
    ],
  ])('accept %s', (...row) => expectAcceptance(simulator, row));
});

describe('thoughts in the history', () => {
  const thought = (change: object = {}) => ({
    reasoningContent: { reasoningText: { text: 'tea', signature: signThought('tea'), ...change } },
  });
  const redacted = (data: string) => ({ reasoningContent: { redactedContent: data } });
  const sentBack = (...content: object[]) => history(hello, assistant(...content, text), hello);
  const budget = { additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 1024 } } };

  it.each<Refusal>([
    [
      'without a signature',
      sentBack(thought({ signature: undefined })),
      'The model returned the following errors: messages.1.content.0.thinking.signature: Field required',
    ],
    [
      'with an empty signature',
      sentBack(thought({ signature: '' })),
      'messages.1.content.0.thinking.signature: Field required',
    ],
    [
      'with another signature',
      sentBack(thought({ signature: 'c2ln' })),
      'messages.1.content.0: Invalid `signature` in `thinking` block',
    ],
    ['with another text', sentBack(thought({ text: 'coffee' })), 'Invalid `signature` in `thinking` block'],
    [
      'hidden by another service',
      sentBack(redacted('c2ltdWxhdGVkOnRlYTo=')),
      'Invalid `data` in `redacted_thinking` block',
    ],
    [
      'signed, by a family that signs nothing',
      sentBack(thought()),
      "This model doesn't support the reasoningContent.reasoningText.signature field. Remove reasoningContent.reasoningText.signature and try again.",
      deepseek,
    ],
    [
      'hidden, by a family that hides nothing',
      sentBack(redacted(redactedThought('tea'))),
      "This model doesn't support the reasoningContent.redactedContent field.",
      nova2,
    ],
    ['to a model without', sentBack(thought()), "This model doesn't support the reasoningContent field.", llama],
    [
      'not before a call, with a budget',
      { ...turn([call('a')], result('a')), ...budget },
      'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`.',
    ],
    ['behind a text, with a budget', { ...turn([text, call('a')], result('a')), ...budget }, 'but found `text`.'],
    [
      'in two forms at once',
      sentBack({ reasoningContent: { reasoningText: { text: 'x' }, redactedContent: 'AAAA' } }),
      'The ReasoningContentBlock object at messages.1.content.0.reasoningContent must set one of the following keys',
    ],
  ])('are refused %s', (...row) => expectRefusal(simulator, row));

  it.each<Acceptance>([
    ['with their signature', sentBack(thought())],
    ['hidden', sentBack(redacted(redactedThought('tea')))],
    ['without a signature, by a family that signs nothing', sentBack(thought({ signature: undefined })), deepseek],
    ['before a call, with a budget', { ...turn([thought(), call('a')], result('a')), ...budget }],
    [
      'not before a call, where thinking is adaptive',
      { ...turn([call('a')], result('a')), additionalModelRequestFields: { thinking: { type: 'adaptive' } } },
      sonnet46,
    ],
  ])('are accepted %s', (...row) => expectAcceptance(simulator, row));
});
