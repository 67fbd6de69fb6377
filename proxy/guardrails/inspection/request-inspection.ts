// Inspects one request with the guardrails that apply to it: sizes first, then texts, then services. Prepares the guard
// of its response.
import type { JsonObject } from '../../../common/json.ts';
import type { ShareOwner } from '../../../common/shares.ts';
import type { Guardrail, PromptSizeCheck, Stage } from '../../../guardrails/definition.ts';
import type { TextMatch } from '../../../guardrails/inspection/findings.ts';
import { slotsOf, type TextLocation } from '../../../guardrails/inspection/inspection-schema.ts';
import { requestLocations, requestLocationsWith } from '../../../guardrails/inspection/request-schema.ts';
import { placeholdersIn } from '../../../guardrails/kinds/restore.ts';
import { Placeholders } from '../../../guardrails/placeholders.ts';
import type { ChatCall } from '../../call.ts';
import { isNeutral } from '../../conversation/fields.ts';
import { unsupported } from '../../conversation/invalid.ts';
import { isGiven } from '../../conversation/options.ts';
import { mediaOf } from '../../formats/chat-completions/media-parts.ts';
import { clientBody, withBody } from '../../formats/chat-completions/read-request.ts';
import { estimateTokens } from '../../rates/estimate.ts';
import type { Applied } from '../compiled.ts';
import { Decisions, type DecisionsDeps } from '../decisions.ts';
import type { InspectContext, Inspection, OutputGuard } from '../guardrail.ts';
import type { Scanner } from '../scanner.ts';
import type { ServiceGuard } from '../service.ts';
import type { createServiceGuards } from '../services/service-guard.ts';
import { type GuardStream, mayWithhold, ResponseInspection } from './response-inspection.ts';
import { inspectBody } from './stage-inspection.ts';

export interface RequestInspectionDeps extends DecisionsDeps {
  readonly scanner: Scanner;
  readonly guardStream: GuardStream;
  readonly serviceGuard: ReturnType<typeof createServiceGuards>;
  /** Monotonic milliseconds. */
  now(): number;
}

export class RequestInspection {
  readonly #call: ChatCall;
  readonly #context: InspectContext;
  readonly #applied: Applied;
  readonly #deps: RequestInspectionDeps;
  readonly #decisions: Decisions;
  readonly #placeholders = new Placeholders();
  readonly #restorable = new Map<string, string>();
  /** Placeholders that the request contained as received. */
  #written: ReadonlySet<string> | undefined;

  constructor(call: ChatCall, context: InspectContext, applied: Applied, deps: RequestInspectionDeps) {
    this.#call = call;
    this.#context = context;
    this.#applied = applied;
    this.#deps = deps;
    this.#decisions = new Decisions(call, context.record, deps);
  }

  /** @throws GatewayError guardrail_blocked, guardrail_unavailable, unsupported_parameter */
  inspect(): Inspection | Promise<Inspection> {
    const { input, output } = this.#applied;
    const { request } = this.#call;
    const body = clientBody(request);
    if (mayWithhold(output)) refuseSpelling(request.body);
    return this.#timed('input', () => {
      for (const guardrail of input.others) this.#apply(guardrail);
      if (input.texts.length + input.services.length === 0) return this.#inspection(body);
      const also = input.texts.flatMap(({ guardrail }) => guardrail.also ?? []);
      const inspected = inspectBody(body, requestLocationsWith(also, this.#locations), {
        stage: 'input',
        guardrails: input,
        services: this.#services('input', this.#call),
        decisions: this.#decisions,
        context: this.#context,
        scanner: this.#deps.scanner,
        owner: this.#owner(),
        put: (found) => this.#put(found),
        placeholdersOf: () => this.#placeholders,
      });
      return inspected instanceof Promise
        ? inspected.then((left) => this.#inspection(left))
        : this.#inspection(inspected);
    });
  }

  #apply(guardrail: Guardrail): void {
    const { check, action } = guardrail;
    if (check.kind !== 'prompt_size') this.#decisions.failed(guardrail, 'input');
    else if (!exceeds(check, this.#call)) this.#decisions.decided(guardrail, 'input', 'pass');
    else if (action === 'observe') this.#decisions.decided(guardrail, 'input', 'observe');
    // A size cannot be redacted.
    else throw this.#decisions.refusal(guardrail, 'input', 'block');
  }

  #put({ matcher, value, label }: TextMatch): string {
    const check = this.#applied.input.texts[matcher]?.guardrail.check;
    if (check?.kind !== 'personal_data' || !check.restore) return this.#placeholders.of(value, label);
    const placeholder = this.#placeholders.of(value, label, (made) => this.#isWritten(made));
    this.#restorable.set(placeholder, value);
    return placeholder;
  }

  /**
   * A placeholder that the caller has written must not be used: the response would contain another value in its place.
   */
  #isWritten(placeholder: string): boolean {
    const body = clientBody(this.#call.request);
    this.#written ??= placeholdersIn(slotsOf(body, this.#locations).map(({ text }) => text));
    return this.#written.has(placeholder);
  }

  /** In the client's format, so that a vendor of the same format gets what was inspected. */
  get #locations(): TextLocation {
    return this.#call.request.client?.translation.requestLocations ?? requestLocations;
  }

  #inspection(body: JsonObject): Inspection {
    const came = this.#call;
    const call = body === clientBody(came.request) ? came : { ...came, request: withBody(came.request, body) };
    const output = this.#output(call);
    return this.#restorable.size === 0 ? { call, output } : { call, output, restored: this.#restorable };
  }

  /** @param call with the redacted request: services do not get text that was removed */
  #output(call: ChatCall): OutputGuard | undefined {
    const { output: guardrails } = this.#applied;
    const { others, texts, services } = guardrails;
    if (others.length + texts.length + services.length + this.#restorable.size === 0) return undefined;
    return new ResponseInspection({
      guardrails,
      services: this.#services('output', call),
      taken: this.#placeholders.counts,
      decisions: this.#decisions,
      context: this.#context,
      restorable: this.#restorable,
      scanner: this.#deps.scanner,
      guardStream: this.#deps.guardStream,
      owner: this.#owner(),
      timed: (inspecting) => this.#timed('output', inspecting),
    });
  }

  #owner(): ShareOwner {
    const { organization, key } = this.#call.caller.principal;
    return { organization: organization.id, key: key.keyId };
  }

  #services(stage: Stage, call: ChatCall): readonly ServiceGuard[] {
    const requested = { call, stage, decisions: this.#decisions };
    return this.#applied[stage].services.map((guardrail) => this.#deps.serviceGuard(guardrail, requested));
  }

  #timed<T>(stage: Stage, inspecting: () => T | Promise<T>): T | Promise<T> {
    const { now, metrics } = this.#deps;
    const startedAt = now();
    const took = () => metrics.took(stage, now() - startedAt);
    let isWaiting = false;
    try {
      const inspected = inspecting();
      isWaiting = inspected instanceof Promise;
      return inspected instanceof Promise ? inspected.finally(took) : inspected;
    } finally {
      if (!isWaiting) took();
    }
  }
}

/**
 * Fields that would reveal a response beside its text. They are refused if a guardrail may withhold a part of the
 * response.
 */
const spelling = ['logprobs', 'top_logprobs', 'return_token_ids', 'return_tokens_as_token_ids'];

function refuseSpelling(body: JsonObject): void {
  for (const name of spelling) {
    const value = body[name];
    if (isGiven(value) && value !== false && !isNeutral(name, value))
      throw unsupported(name, `${name} is not supported if a guardrail applies to responses`);
  }
}

/** The kind prompt_size: compares the estimated size of a request, before its tokens are counted. */
function exceeds(
  { tokensMax, messagesMax, imagesMax }: PromptSizeCheck,
  call: Pick<ChatCall, 'request' | 'catalogModel'>,
): boolean {
  const { messages } = call.request;
  return (
    isAbove(messages.length, messagesMax) ||
    (imagesMax !== undefined && isAbove(mediaOf(messages).filter(({ kind }) => kind === 'image').length, imagesMax)) ||
    (tokensMax !== undefined && isAbove(estimateTokens(call, 0).input, tokensMax))
  );
}

function isAbove(size: number, max: number | undefined): boolean {
  return max !== undefined && size > max;
}
