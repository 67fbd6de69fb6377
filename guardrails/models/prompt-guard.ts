// Llama Prompt Guard 2 (22M, 86M), a classifier of injections and jailbreaks with a context of 512 tokens. Source: the
// model card (meta-llama/Llama-Prompt-Guard-2-86M). Served as a chat model it returns the probability of an attack
// ("0.998"), otherwise its label (BENIGN, MALICIOUS; in the first version INJECTION, JAILBREAK).
import { NoResponseError } from '../services/adapter.ts';
import type { ModelForm } from './form.ts';

const scoreMinDefault = 0.5;
const benign: ReadonlySet<string> = new Set(['BENIGN', 'LABEL_0']);
const malicious: ReadonlySet<string> = new Set(['MALICIOUS', 'INJECTION', 'JAILBREAK', 'LABEL_1']);

export const promptGuard: ModelForm = {
  source: 'https://huggingface.co/meta-llama/Llama-Prompt-Guard-2-86M',
  // Fits 512 tokens, even in scripts with few letters per token.
  textMax: 900,
  responseTokensMax: 16,
  problem: ({ criterion, topics, categories }) =>
    criterion !== '' || topics.length + categories.length > 0
      ? { at: '', description: 'prompt_guard takes score_min only' }
      : undefined,
  compares: () => false,
  ask: (text) => [{ role: 'user', content: text }],
  read: (text, { scoreMin = scoreMinDefault }) => {
    const response = text.trim();
    const attack = [{ label: 'PROMPT_ATTACK' }];
    if (benign.has(response.toUpperCase())) return [];
    if (malicious.has(response.toUpperCase())) return attack;
    const score = /^(0(\.\d+)?|1(\.0+)?|\d(\.\d+)?e-\d{1,3})$/i.test(response) ? Number(response) : undefined;
    if (score === undefined) throw new NoResponseError('the response of the model is neither a score nor a label');
    return score >= scoreMin ? attack : [];
  },
};
