// The counter of generateContent (`CountTokensRequest` of v1beta, page "Counting tokens"). It has either the contents
// alone, or a whole request inside, which must name the model again.
import type { CountForm } from '../count-form.ts';
import { namesIn, withMembers } from '../splice.ts';

export const generateContentCount: CountForm = {
  writeBody: (body, model) => {
    const text = Buffer.from(body);
    if (namesIn(text).every((name) => name === 'contents')) return body;
    const named = JSON.stringify(`models/${model.replace(/^models\//, '')}`);
    return `{"generateContentRequest":${withMembers(text, new Map([['model', named]]))}}`;
  },
  tokensIn: ({ totalTokens }) => totalTokens,
};
