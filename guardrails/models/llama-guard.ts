// Llama Guard 3 and 4. Source: the model cards (meta-llama/Llama-Guard-3-8B, meta-llama/Llama-Guard-4-12B). The
// server's chat template turns the conversation into the task; the last turn is classified. The response is "safe", or
// "unsafe" and the categories on the next line: "S1,S10".
import { NoResponseError } from '../services/adapter.ts';
import type { ModelForm } from './form.ts';

const unsafe = /^unsafe\s*\n\s*(S\d{1,2}(?:\s*,\s*S\d{1,2})*)$/;

export const llamaGuard: ModelForm = {
  source: 'https://huggingface.co/meta-llama/Llama-Guard-4-12B',
  textMax: 16_000,
  responseTokensMax: 64,
  problem: ({ criterion, topics, categories }) => {
    if (criterion !== '' || topics.length > 0)
      return {
        at: '',
        description: 'llama_guard takes categories only; the model has its own definition of unsafe',
      };
    const wrong = categories.findIndex((category) => !/^S\d{1,2}$/.test(category));
    return wrong < 0 ? undefined : { at: `.categories[${wrong}]`, description: 'must be such as S1' };
  },
  compares: () => false,
  ask: (text, { stage, context }) =>
    stage === 'input'
      ? [{ role: 'user', content: text }]
      : [
          { role: 'user', content: context.query === '' ? '…' : context.query },
          { role: 'assistant', content: text },
        ],
  read: (text, { categories }) => {
    const response = text.trim();
    if (response === 'safe') return [];
    if (response === 'unsafe') return [{ label: 'UNSAFE' }];
    const named = unsafe.exec(response)?.[1];
    if (named === undefined) throw new NoResponseError('the response of the model is neither safe nor unsafe');
    return named
      .split(',')
      .map((category) => category.trim())
      .filter((category) => categories.length === 0 || categories.includes(category))
      .map((category) => ({ label: category }));
  },
};
