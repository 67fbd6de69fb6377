// Estimates tokens: four characters per token, rounded up. The estimate is the same in every run.
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

/** The part of the text that fits into this many tokens. */
export function firstTokens(text: string, tokens: number): string {
  return text.slice(0, tokens * 4).toWellFormed();
}

/** The pieces of a stream's events: each is a word with the space after it. Joined, they are the text. */
export function words(text: string): readonly string[] {
  return text.match(/\s*\S+\s*/g) ?? (text === '' ? [] : [text]);
}
