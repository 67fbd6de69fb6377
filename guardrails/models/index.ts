// The forms of classifier models. To add one: a file beside this and a line here, with a fixture in
// test/support/guardrails/model-fixtures.ts and a line in docs/guardrails.md (a test names the missing one).

import { classifier } from './classifier.ts';
import type { ModelForm } from './form.ts';
import { graniteGuardian } from './granite-guardian.ts';
import { llamaGuard } from './llama-guard.ts';
import { promptGuard } from './prompt-guard.ts';

export const modelForms: Readonly<Record<string, ModelForm>> = {
  llama_guard: llamaGuard,
  granite_guardian: graniteGuardian,
  prompt_guard: promptGuard,
  judge: classifier,
};

/** Undefined: this version has no such form. */
export function modelForm(name: string): ModelForm | undefined {
  return Object.hasOwn(modelForms, name) ? modelForms[name] : undefined;
}
