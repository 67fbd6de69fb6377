// The kinds of guardrails are loaded for the first organization that has one.
import { expect, it } from 'vitest';
import { CompiledGuardrails, hasOutputGuardrails } from '../../../../proxy/guardrails/compiled.ts';
import { callWith, phrasesGuardrail } from '../../../support/guarded-requests.ts';
import { guardrailOf } from '../../../support/service-guards.ts';
import { silentLog } from '../../../support/silent-log.ts';

const callerOf = (...guardrails: Parameters<typeof callWith>[0]) => callWith(guardrails, {}).caller;

it('kinds are loaded once, for the first organization that has a guardrail on texts', async () => {
  const compiled = new CompiledGuardrails({ log: silentLog });
  const [none, size] = [
    callerOf(),
    callerOf(guardrailOf({ kind: 'prompt_size', tokensMax: 10, messagesMax: undefined, imagesMax: undefined })),
  ];
  const words = callerOf(phrasesGuardrail(['secret project'], { stage: 'both' }));
  for (const caller of [none, size]) expect(compiled.load(caller.principal.organization)).toBeUndefined();
  expect(compiled.appliedTo(size)?.input.others).toHaveLength(1);
  expect(() => compiled.appliedTo(words)).toThrow('the kinds of guardrails are not loaded');
  const loading = compiled.load(words.principal.organization);
  // A second request at the same time waits for the same.
  expect(compiled.load(words.principal.organization)).toBe(loading);
  await loading;
  expect(compiled.load(words.principal.organization)).toBeUndefined();
  const { input, output } = compiled.appliedTo(words) ?? {};
  expect([input, output].map((stage) => stage?.texts[0]?.guardrail.check.kind)).toEqual(['words', 'words']);
});

it.each([
  ['no guardrail', [], false],
  ['a guardrail on requests', [phrasesGuardrail(['x'], { stage: 'input' })], false],
  ['a guardrail on responses', [phrasesGuardrail(['x'], { stage: 'output' })], true],
  ['a guardrail on both', [phrasesGuardrail(['x'], { stage: 'both' })], true],
  [
    'a size of prompts',
    [
      guardrailOf(
        { kind: 'prompt_size', tokensMax: 10, messagesMax: undefined, imagesMax: undefined },
        { stage: 'both' },
      ),
    ],
    false,
  ],
  ['a check that is not known', [guardrailOf({ kind: 'unknown' }, { stage: 'output' })], true],
])('whether responses are inspected is known before kinds are loaded: %s', (_what, guardrails, inspects) => {
  expect(hasOutputGuardrails(callerOf(...guardrails))).toBe(inspects);
});
