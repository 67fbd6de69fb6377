// Granite Guardian 3.0 to 4.1. Source: the model cards (ibm-granite/granite-guardian-3.2-5b, -3.3-8b, -4.1-8b) and the
// templates that they are served with: the system message names the risk, or describes it in a sentence; documents are
// sent as "context". The response is "Yes" or "No", from 3.2 on with a confidence, from 3.3 on between <score> tags,
// and after <think> if thinking was requested.
import { NoResponseError } from '../services/adapter.ts';
import { labelOf } from '../services/read.ts';
import { type ModelForm, type ModelMessage, sourcesText } from './form.ts';

const comparing: ReadonlySet<string> = new Set(['groundedness', 'answer_relevance', 'context_relevance']);
const plain = /^(yes|no)\.?\s*(<confidence>\s*(high|low)\s*<\/confidence>)?$/i;
const scored = /^<score>\s*(yes|no)\s*<\/score>$/i;
const labelMax = 32;

export const graniteGuardian: ModelForm = {
  source: 'https://huggingface.co/ibm-granite/granite-guardian-3.3-8b',
  textMax: 24_000,
  responseTokensMax: 1024,
  problem: ({ criterion, topics, categories }) => {
    if (topics.length + categories.length > 0)
      return { at: '', description: 'granite_guardian takes a criterion, no topics or categories' };
    if (criterion.trim() !== '') return undefined;
    return {
      at: '.criterion',
      description: 'must be the name of a risk, such as jailbreak or groundedness, or a sentence',
    };
  },
  compares: ({ criterion }) => comparing.has(criterion),
  ask: (text, { stage, context }, { criterion }) => {
    const system: ModelMessage = { role: 'system', content: criterion };
    if (stage === 'input') return [system, { role: 'user', content: text }];
    const shown: ModelMessage[] = comparing.has(criterion) ? [{ role: 'context', content: sourcesText(context) }] : [];
    const requested: ModelMessage[] =
      context.query === '' || criterion === 'groundedness' ? [] : [{ role: 'user', content: context.query }];
    return [system, ...shown, ...requested, { role: 'assistant', content: text }];
  },
  read: (text, { criterion }) => {
    const response = text.replace(/^\s*<think>[\s\S]*<\/think>/, '').trim();
    const verdict = (scored.exec(response) ?? plain.exec(response))?.[1]?.toLowerCase();
    if (verdict === undefined) throw new NoResponseError('the response of the model is neither yes nor no');
    const label = /^[a-z_]+$/.test(criterion) && criterion.length <= labelMax ? labelOf(criterion) : 'CRITERION';
    return verdict === 'yes' ? [{ label }] : [];
  },
};
