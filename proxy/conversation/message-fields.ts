// Fields of messages that only some formats have, under their names in chat completions. A writer names those that its
// vendor does not get.

export const messageFields = [
  /** A response of the GPT vendor with sound, in a later turn. */
  'messages.audio',
  'messages.extra_content',
  'messages.file.filename',
  'messages.image_url.detail',
  'messages.prompt_cache_breakpoint.ttl',
  'messages.thinking_blocks',
] as const;

export type MessageField = (typeof messageFields)[number];

/** Those that neither the Messages API nor Converse has. */
export const lostBesideChat: readonly MessageField[] = [
  ...(['messages.audio', 'messages.extra_content', 'messages.image_url.detail'] as const),
  'messages.prompt_cache_breakpoint.ttl',
];
