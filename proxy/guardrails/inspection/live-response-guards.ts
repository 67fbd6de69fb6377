// The guards of the response to one request: the guardrails of its output, and a guard that replaces placeholders of
// the input by their original values. A check that throws has failed: its guardrail's failure rule decides, and the
// check does not run again.
import type { Guardrail } from '../../../guardrails/definition.ts';
import { restored, restoreMatcher } from '../../../guardrails/kinds/restore.ts';
import type { Matcher } from '../../../guardrails/matcher.ts';
import { Placeholders } from '../../../guardrails/placeholders.ts';
import { BlockedError, type Guard } from '../../../guardrails/window.ts';
import type { Decision } from '../../../proto/words/guardrails.ts';
import { GatewayError } from '../../errors.ts';
import type { CompiledGuardrail, StageGuardrails } from '../compiled.ts';
import { blocksOnFailure, type Decisions } from '../decisions.ts';
import type { ResponseGuards } from '../response-guards.ts';
import { textMax } from '../scanner.ts';
import type { ServiceGuard } from '../service.ts';

export interface ResponseGuardsDeps {
  readonly guardrails: StageGuardrails;
  readonly services: readonly ServiceGuard[];
  readonly decisions: Decisions;
  readonly window: number;
  /** The highest placeholder numbers of the input, by label. */
  readonly taken: ReadonlyMap<string, number>;
  /** Placeholders of the input that are restored, with their original values. */
  readonly restorable: ReadonlyMap<string, string>;
}

export class LiveResponseGuards implements ResponseGuards {
  readonly window: number;
  readonly services: readonly ServiceGuard[];
  readonly textMax = textMax;
  readonly #deps: ResponseGuardsDeps;
  readonly #restoring: readonly Guard[];
  /** The decisions so far; a guardrail without one has passed. */
  readonly #decisions = new Map<Guardrail, Decision>();
  readonly #guardrails = new WeakMap<Guard, Guardrail>();
  #isTooLong = false;

  constructor(deps: ResponseGuardsDeps) {
    this.#deps = deps;
    this.window = deps.window;
    this.services = deps.services;
    this.#restoring = restoringGuards(deps.restorable);
  }

  guards(form?: 'fixed'): readonly Guard[] {
    const placeholders = new Placeholders(this.#deps.taken);
    const guards = this.#deps.guardrails.texts.map((compiled) => this.#guard(compiled, placeholders, form));
    return form === 'fixed' ? guards : [...guards, ...this.#restoring];
  }

  placeholders(): Placeholders {
    return new Placeholders(this.#deps.taken);
  }

  tooLong(): void {
    const { guardrails, decisions } = this.#deps;
    this.#isTooLong = true;
    for (const { guardrail } of guardrails.texts) decisions.failed(guardrail, 'output');
    for (const guardrail of guardrails.services) decisions.failed(guardrail, 'output');
  }

  refusal({ guard }: BlockedError): GatewayError {
    const guardrail = this.#guardrails.get(guard);
    if (guardrail === undefined) return new GatewayError('internal_error', { cause: new Error('no such guard') });
    const failed = this.#decisions.get(guardrail) === 'failed_block';
    return this.#deps.decisions.refusal(guardrail, 'output', failed ? 'failed_block' : 'block');
  }

  ended(): void {
    if (this.#isTooLong) return;
    for (const { guardrail } of this.#deps.guardrails.texts)
      this.#deps.decisions.decided(guardrail, 'output', this.#decisions.get(guardrail) ?? 'pass');
  }

  #guard({ guardrail, matcher }: CompiledGuardrail, placeholders: Placeholders, form?: 'fixed'): Guard {
    const { action } = guardrail;
    const guard: Guard = {
      matcher: {
        cost: matcher.cost,
        inspect: (text, from, window) => {
          if (this.#decisions.get(guardrail) === 'failed_pass') return passed(text.raw);
          try {
            return matcher.inspect(text, from, window);
          } catch {
            return this.#failed(guardrail, guard, text.raw);
          }
        },
      },
      replacement: replacementOf(form === 'fixed' && action === 'redact' ? 'block' : action, placeholders),
      found: () => {
        if (action !== 'block') this.#decisions.set(guardrail, action);
      },
    };
    this.#guardrails.set(guard, guardrail);
    return guard;
  }

  #failed(guardrail: Guardrail, guard: Guard, raw: string): ReturnType<Matcher['inspect']> {
    const decision = blocksOnFailure(guardrail) ? 'failed_block' : 'failed_pass';
    this.#decisions.set(guardrail, decision);
    if (decision === 'failed_block') throw new BlockedError(guard);
    return passed(raw);
  }
}

/** @param restorable placeholders with their original values; without any there is no guard */
function restoringGuards(restorable: ReadonlyMap<string, string>): readonly Guard[] {
  if (restorable.size === 0) return [];
  return [
    {
      matcher: restoreMatcher(restorable),
      replacement: (found) => restored(found, restorable),
      found: () => undefined,
    },
  ];
}

function replacementOf(action: Guardrail['action'], placeholders: Placeholders): Guard['replacement'] {
  switch (action) {
    case 'block':
      return 'block';
    case 'observe':
      return 'keep';
    case 'redact':
      return (found, label) => placeholders.of(found, label);
  }
}

function passed(raw: string): ReturnType<Matcher['inspect']> {
  return { findings: [], decided: raw.length };
}
