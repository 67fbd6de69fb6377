// Compiles guardrails once for each id and revision. Selects those that apply to a caller once for each organization
// record and each pair of AI systems.
import { LRUCache } from 'lru-cache';
import type { Logger } from '../../common/logger.ts';
import { never } from '../../common/never.ts';
import {
  type Guardrail,
  isServiceCheck,
  isTextCheck,
  type Stage,
  type TextCheck,
} from '../../guardrails/definition.ts';
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

/** The guardrails that apply to a caller. */
export interface Applied {
  readonly input: StageGuardrails;
  readonly output: StageGuardrails;
}

/** Each list is in the order of the guardrails. */
export interface StageGuardrails {
  /** Size checks, and checks that this gateway does not know. */
  readonly others: readonly Guardrail[];
  readonly texts: readonly CompiledGuardrail[];
  readonly services: readonly Guardrail[];
}

type Compile = (check: TextCheck) => Matcher;

export interface CompiledGuardrailsDeps {
  readonly log: Pick<Logger, 'warn'>;
  /** Default: the kinds of guardrails/index.ts, once they are loaded. @throws InvalidCheckError */
  readonly compile?: Compile;
  /** Called after each compilation: texts will be scanned. */
  readonly onCompiled?: () => void;
}

/** Limits of the cache: the number of matchers, and the total length of their phrases and patterns. */
const matchersMax = 10_000;
const lengthMax = 16 * 1024 * 1024;

export class CompiledGuardrails {
  #compile: Compile | undefined;
  #loading: Promise<void> | undefined;
  readonly #log: CompiledGuardrailsDeps['log'];
  readonly #onCompiled: CompiledGuardrailsDeps['onCompiled'];
  readonly #matchers = new LRUCache<string, Matcher>({ max: matchersMax, maxSize: lengthMax });
  readonly #applied = new WeakMap<OrganizationRecord, Map<string, Applied | undefined>>();

  constructor({ log, compile, onCompiled }: CompiledGuardrailsDeps) {
    this.#compile = compile;
    this.#onCompiled = onCompiled;
    this.#log = log;
  }

  /**
   * Loads the kinds of guardrails, which a proxy without guardrails never needs: a tenth of its start and of its memory.
   * @returns undefined if `appliedTo` can be called for callers of this organization now
   */
  load({ guardrails }: OrganizationRecord): Promise<void> | undefined {
    if (this.#compile !== undefined || !guardrails.some(isOfText)) return undefined;
    this.#loading ??= import('../../guardrails/index.ts')
      .then(({ compileCheck }) => {
        this.#compile = compileCheck;
      })
      .finally(() => {
        this.#loading = undefined;
      });
    return this.#loading;
  }

  /** Undefined if no guardrail applies. @throws Error if the kinds are not loaded, see `load` */
  appliedTo({ principal, project }: Caller): Applied | undefined {
    const { organization } = principal;
    if (organization.guardrails.length === 0) return undefined;
    const named = organization.guardrails.some(({ keyIds = [] }) => keyIds.length > 0);
    const keys = named ? [principal, project].map((one) => one?.key.keyId) : [];
    const own = aiSystemOf(principal);
    const projects = project && aiSystemOf(project);
    const known = this.#applied.get(organization) ?? new Map<string, Applied | undefined>();
    this.#applied.set(organization, known);
    const key = `${own ?? ''} ${projects ?? ''} ${keys.join(' ')}`;
    if (!known.has(key)) known.set(key, this.#select(organization.guardrails, { keys, aiSystems: [own, projects] }));
    return known.get(key);
  }

  #select(guardrails: readonly Guardrail[], callers: Callers): Applied | undefined {
    const applying = guardrails.filter((guardrail) => isFor(guardrail, callers));
    if (applying.length === 0) return undefined;
    const ready = applying.map((guardrail) => this.#ready(guardrail));
    return { input: stageOf(ready, 'input'), output: stageOf(ready, 'output') };
  }

  #ready(guardrail: Guardrail): Guardrail | CompiledGuardrail {
    if (!isOfText(guardrail)) return guardrail;
    const { id, revision, check } = guardrail;
    const key = `${id} ${revision}`;
    const known = this.#matchers.get(key);
    if (known !== undefined) return { guardrail, matcher: known };
    if (this.#compile === undefined) throw new Error('the kinds of guardrails are not loaded');
    try {
      const matcher = this.#compile(check);
      this.#matchers.set(key, matcher, { size: sizeOf(check) });
      this.#onCompiled?.();
      return { guardrail, matcher };
    } catch (err) {
      // A control plane of another version may have accepted it.
      this.#log.warn({ err, guardrail_id: id }, 'a guardrail cannot be compiled; its failure rule applies');
      return { ...guardrail, check: { kind: 'unknown' } };
    }
  }
}

/** Whether a guardrail inspects responses to the caller. */
export function hasOutputGuardrails(caller: Caller): boolean {
  return guardrailsFor(caller).some((guardrail) => inspects(guardrail, 'output'));
}

/** The guardrails that apply to a caller, in their order. */
export function guardrailsFor({ principal, project }: Caller): readonly Guardrail[] {
  const { guardrails } = principal.organization;
  if (guardrails.length === 0) return guardrails;
  const keys = [principal, project].map((one) => one?.key.keyId);
  const aiSystems = [aiSystemOf(principal), project && aiSystemOf(project)];
  return guardrails.filter((guardrail) => isFor(guardrail, { keys, aiSystems }));
}

/** The memory of a matcher grows with the length of its phrases and patterns. */
function sizeOf(check: TextCheck): number {
  return textsOf(check).reduce((sum, text) => sum + text.length, 1);
}

function textsOf(check: TextCheck): readonly string[] {
  switch (check.kind) {
    case 'words':
      return check.phrases;
    case 'pattern':
      return check.patterns;
    case 'personal_data':
    case 'secrets':
      return ['some fixed tables'];
    default:
      return never(check);
  }
}

/** Ids of the keys and AI systems of a request. */
interface Callers {
  readonly keys: readonly (string | undefined)[];
  readonly aiSystems: readonly (string | undefined)[];
}

function isFor({ aiSystemIds, keyIds = [] }: Guardrail, { keys, aiSystems }: Callers): boolean {
  if (aiSystemIds.length + keyIds.length === 0) return true;
  const has = (ids: readonly string[]) => (id: string | undefined) => id !== undefined && ids.includes(id);
  return aiSystems.some(has(aiSystemIds)) || keys.some(has(keyIds));
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
    if (!inspects(guardrail, stage)) continue;
    if ('matcher' in one) texts.push(one);
    else if (isServiceCheck(one.check)) services.push(one);
    else others.push(one);
  }
  return { others, texts, services };
}

/** A prompt size does not apply to a response. */
function inspects(guardrail: Guardrail, stage: Stage): boolean {
  if (guardrail.stage !== stage && guardrail.stage !== 'both') return false;
  return guardrail.check.kind !== 'prompt_size' || stage === 'input';
}
