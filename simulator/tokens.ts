// Token counts of the simulator: four characters a token, rounded up. An estimate, but the same in every run.
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

/** As much of the text as so many tokens hold. */
export function firstTokens(text: string, tokens: number): string {
  return text.slice(0, tokens * 4).toWellFormed();
}

/** What one event of a stream carries: a word with the space behind it. Joined they are the text. */
export function words(text: string): readonly string[] {
  return text.match(/\s*\S+\s*/g) ?? (text === '' ? [] : [text]);
}
