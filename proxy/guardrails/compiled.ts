// Guardrails ready to inspect with, compiled once for each id and revision, and which of them apply to a caller, decided once for
// each record of an organization and each pair of AI systems.
import { LRUCache } from 'lru-cache';
import type { Guardrail, Stage } from '../../guardrails/definition.ts';
import { compileCheck, isTextCheck, type TextCheck } from '../../guardrails/index.ts';
import type { Matcher } from '../../guardrails/matcher.ts';
import type { Caller } from '../access/authenticator.ts';
import type { OrganizationRecord, Principal } from '../access/principal.ts';

export interface TextGuardrail extends Guardrail {
  readonly check: TextCheck;
}

export interface CompiledGuardrail {
  readonly guardrail: TextGuardrail;
  readonly matcher: Matcher;
}

/** What applies to a caller. */
export interface Applied {
  readonly input: StageGuardrails;
  readonly output: StageGuardrails;
}

/** In their order. */
export interface StageGuardrails {
  /** Of sizes, and those that this gateway does not know. */
  readonly others: readonly Guardrail[];
  readonly texts: readonly CompiledGuardrail[];
  readonly services: readonly Guardrail[];
}

export type Compile = (check: TextCheck) => Matcher;

export class CompiledGuardrails {
  readonly #compile: Compile;
  readonly #matchers: LRUCache<string, Matcher>;
  readonly #applied = new WeakMap<OrganizationRecord, Map<string, Applied | undefined>>();

  constructor(compile: Compile = compileCheck) {
    this.#compile = compile;
    this.#matchers = matcherCache();
  }

  /** Undefined where none does. */
  appliedTo({ principal, project }: Caller): Applied | undefined {
    const { organization } = principal;
    if (organization.guardrails.length === 0) return undefined;
    const own = aiSystemOf(principal);
    const projects = project && aiSystemOf(project);
    const known = this.#applied.get(organization) ?? new Map<string, Applied | undefined>();
    this.#applied.set(organization, known);
    const key = `${own ?? ''} ${projects ?? ''}`;
    if (!known.has(key)) known.set(key, this.#select(organization.guardrails, [own, projects]));
    return known.get(key);
  }

  #select(guardrails: readonly Guardrail[], aiSystems: readonly (string | undefined)[]): Applied | undefined {
    const applying = guardrails.filter(
      ({ aiSystemIds }) =>
        aiSystemIds.length === 0 || aiSystems.some((id) => id !== undefined && aiSystemIds.includes(id)),
    );
    if (applying.length === 0) return undefined;
    const ready = applying.map((guardrail) => this.#ready(guardrail));
    return { input: stageOf(ready, 'input'), output: stageOf(ready, 'output') };
  }

  #ready(guardrail: Guardrail): Guardrail | CompiledGuardrail {
    if (!isOfText(guardrail)) return guardrail;
    const matcher = compiledBy(this.#matchers, guardrail, this.#compile);
    return matcher === undefined ? { ...guardrail, check: { kind: 'unknown' } } : { guardrail, matcher };
  }
}

/** @returns undefined for what cannot be compiled, which a control plane of another version may have let pass */
export function compiledBy(
  matchers: LRUCache<string, Matcher>,
  { id, revision, check }: Pick<TextGuardrail, 'id' | 'revision' | 'check'>,
  compile: Compile,
): Matcher | undefined {
  const key = `${id} ${revision}`;
  const known = matchers.get(key);
  if (known !== undefined) return known;
  try {
    const matcher = compile(check);
    matchers.set(key, matcher, { size: sizeOf(check) });
    return matcher;
  } catch {
    return undefined;
  }
}

/** Matchers by id and revision. */
export function matcherCache(): LRUCache<string, Matcher> {
  return new LRUCache({ max: 10_000, maxSize: 16 * 1024 * 1024 });
}

/** What a matcher holds in memory goes with the length of its words and patterns. */
function sizeOf(check: TextCheck): number {
  const texts =
    check.kind === 'words'
      ? check.phrases
      : check.kind === 'pattern'
        ? check.patterns
        : ['some fixed tables'];
  return texts.reduce((sum, text) => sum + text.length, 1);
}

function isOfText(guardrail: Guardrail): guardrail is TextGuardrail {
  return isTextCheck(guardrail.check);
}

function aiSystemOf({ key: { scope } }: Principal): string | undefined {
  return scope.kind === 'ai_system' ? scope.id : undefined;
}

function stageOf(ready: readonly (Guardrail | CompiledGuardrail)[], stage: Stage): StageGuardrails {
  const others: Guardrail[] = [];
  const texts: CompiledGuardrail[] = [];
  const services: Guardrail[] = [];
  for (const one of ready) {
    const guardrail = 'matcher' in one ? one.guardrail : one;
    if (guardrail.stage !== stage && guardrail.stage !== 'both') continue;
    if ('matcher' in one) texts.push(one);
    else if (isService(one)) services.push(one);
    // An answer is no prompt.
    else if (one.check.kind !== 'prompt_size' || stage === 'input') others.push(one);
  }
  return { others, texts, services };
}

function isService({ check: { kind } }: Guardrail): boolean {
  return kind === 'webhook' || kind === 'moderation';
}
