// The conversation as the vendor takes it: whose turn it is, what each turn must hold, and which blocks belong to whom.
import { invalid, modelRefuses } from './refusal.ts';
import { allBlocksOf, type ConverseRequest, systemOf } from './request.ts';

export function turnsAlternate({ messages }: ConverseRequest): void {
  // Some families take a conversation that begins with the assistant; the documentation says that none does.
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
  // Of the texts inside tool results it is not known whether all models refuse a blank one.
  for (const { kind, value, path } of allBlocksOf(request)) {
    if (kind === 'text' && isBlank(value)) throw blankText(request, value as string, path);
  }
  const blank = systemOf(request).some(({ text }) => text !== undefined && isBlank(text));
  if (blank) throw modelRefuses('system: text content blocks must contain non-whitespace text');
}

/** Spaces alone are blank too, which some models find out only themselves. */
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
