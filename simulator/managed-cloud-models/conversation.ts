// The rules of a conversation: order of turns, required content, and the role of each block.
import { invalid, modelRefuses } from './refusal.ts';
import { allBlocksOf, type ConverseRequest, systemOf } from './request.ts';

export function turnsAlternate({ messages }: ConverseRequest): void {
  // Some families accept a conversation that begins with the assistant, but the documentation says that none does.
  if (messages[0]?.role !== 'user') {
    throw invalid(
      'A conversation must start with a user message. Try again with a conversation that starts with a user message.',
    );
  }
  if (messages.some(({ role }, index) => role === messages[index - 1]?.role)) {
    throw invalid(
      'A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.',
    );
  }
}

export function contentIsThere({ messages }: ConverseRequest): void {
  const empty = messages.findIndex(({ content }) => content.length === 0);
  if (empty < 0) return;
  throw invalid(
    `The content field in the Message object at messages.${empty} is empty. Add a ContentBlock object to the content field and try again.`,
  );
}

export function textsAreThere(request: ConverseRequest): void {
  // Whether all models refuse a blank text inside a tool result is unknown.
  for (const { kind, value, path } of allBlocksOf(request)) {
    if (kind === 'text' && isBlank(value)) throw blankText(request, value as string, path);
  }
  const blank = systemOf(request).some(({ text }) => text !== undefined && isBlank(text));
  if (blank) throw modelRefuses('system: text content blocks must contain non-whitespace text');
}

/** A text of spaces is blank too, but for some models the service leaves that refusal to the model. */
function blankText({ model }: ConverseRequest, text: string, path: string) {
  if (model.family === 'claude' && text !== '') {
    return modelRefuses('messages: text content blocks must contain non-whitespace text');
  }
  return invalid(
    `The text field in the ContentBlock object at ${path} is blank. Add text to the text field, and try again.`,
  );
}

function isBlank(text: unknown): boolean {
  return typeof text === 'string' && text.trim() === '';
}

const rolesOfKind: Readonly<Record<string, 'user' | 'assistant'>> = {
  image: 'user',
  document: 'user',
  video: 'user',
  audio: 'user',
  searchResult: 'user',
  toolResult: 'user',
  toolUse: 'assistant',
  reasoningContent: 'assistant',
  citationsContent: 'assistant',
};

export function blocksFitRoles(request: ConverseRequest): void {
  for (const { kind, role, path } of allBlocksOf(request)) {
    const owner = rolesOfKind[kind] ?? role;
    if (owner === role) continue;
    if (kind === 'reasoningContent') {
      throw invalid(
        'User messages cannot contain reasoning content. Please remove the reasoning content and try again.',
      );
    }
    throw invalid(`The ${kind} block at ${path} can only be included in a message with the ${owner} role.`);
  }
}

export function endsWithUser({ messages, model }: ConverseRequest): void {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return;
  if (!model.prefill) {
    throw model.family === 'claude'
      ? modelRefuses(
          'This model does not support assistant message prefill. The conversation must end with a user message.',
        )
      : invalid(
          'A conversation must end with a user message. Try again with a conversation that ends with a user message.',
        );
  }
  const text = last.content.at(-1)?.text;
  if (typeof text === 'string' && text.trimEnd() !== text) {
    throw modelRefuses('messages: final assistant content cannot end with trailing whitespace');
  }
}
