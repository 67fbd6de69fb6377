// JSON whose numbers stay the texts that they were written as: amounts with all of their digits.

/** @throws SyntaxError */
export function parseExactNumbers(text: string): unknown {
  return JSON.parse(text, (_name, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' && context?.source !== undefined ? context.source : value,
  );
}
