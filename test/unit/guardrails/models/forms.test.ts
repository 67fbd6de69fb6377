// How classifier models are called, and how their output is read.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ModelSetup } from '../../../../guardrails/models/form.ts';
import { modelForm, modelForms } from '../../../../guardrails/models/index.ts';
import { modelContext, modelFixtures, modelText } from '../../../support/guardrails/model-fixtures.ts';

const nothing: ModelSetup = { criterion: '', topics: [], categories: [], scoreMin: undefined };

function formOf(name: string) {
  const form = modelForm(name);
  if (form === undefined) throw new Error(`there is no form ${name}`);
  return form;
}

it('every form has a fixture and a line in the documentation', () => {
  const documented = readFileSync('docs/guardrails.md', 'utf8');
  const tried = new Set(modelFixtures.map(([name]) => name));
  for (const [name, { source }] of Object.entries(modelForms)) {
    expect(tried).toContain(name);
    expect(documented).toContain(`| \`${name}\` |`);
    expect(source).not.toBe('');
  }
});

describe.each(modelFixtures)('%s', (name, { check, stage, messages, says, nonsense }) => {
  const form = formOf(name);
  const setup: ModelSetup = { ...nothing, ...check };

  it('sends the messages of its form', () => {
    expect(form.problem(setup)).toBeUndefined();
    expect(form.ask(modelText, { stage, context: modelContext }, setup)).toEqual(messages);
  });

  it.each(says)('reads the output $output', ({ output: text, labels }) => {
    expect(form.read(text, setup).map(({ label }) => label)).toEqual(labels);
  });

  it.each(nonsense)('reports an unreadable output: %s', (text) => {
    expect(() => form.read(text, setup)).toThrow('is invalid');
  });
});

it.each<readonly [string, Partial<ModelSetup>, string]>([
  ['llama_guard', { criterion: 'harm' }, ''],
  ['llama_guard', { categories: ['violence'] }, '.categories[0]'],
  ['granite_guardian', {}, '.criterion'],
  ['granite_guardian', { criterion: 'harm', topics: ['tax'] }, ''],
  ['prompt_guard', { criterion: 'harm' }, ''],
  ['judge', { criterion: 'harm' }, '.criterion'],
  ['judge', { criterion: 'toString' }, '.criterion'],
  ['judge', { criterion: 'topics' }, '.topics'],
  ['judge', { criterion: 'grounding', topics: ['tax'] }, '.topics'],
  ['judge', { criterion: 'topics', topics: [' '] }, '.topics'],
])('a setup that a form does not support is a problem: %s %j', (name, setup, at) => {
  expect(formOf(name).problem({ ...nothing, ...setup })?.at).toBe(at);
});
