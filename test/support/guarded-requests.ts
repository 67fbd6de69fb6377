// Requests and complete responses under guardrails, without a gateway: the body for the model, the body for the caller,
// and the decisions. Guardrails search for their phrases literally.
import type { JsonObject } from '../../common/json.ts';
import type { Guardrail, TextCheck } from '../../guardrails/definition.ts';
import type { Matcher } from '../../guardrails/matcher.ts';
import type { OrganizationRecord, Principal } from '../../proxy/access/principal.ts';
import type { ChatCall } from '../../proxy/call.ts';
import { parseChatRequest } from '../../proxy/formats/chat-completions/read-request.ts';
import { CompiledGuardrails, type CompiledGuardrailsDeps } from '../../proxy/guardrails/compiled.ts';
import type { Decided } from '../../proxy/guardrails/decision-samples.ts';
import type { InspectContext, Inspection } from '../../proxy/guardrails/guardrail.ts';
import { createGuardrails } from '../../proxy/guardrails/inspection/live-guardrails.ts';
import type { RequestInspectionDeps } from '../../proxy/guardrails/inspection/request-inspection.ts';
import { Scanner } from '../../proxy/guardrails/scanner.ts';
import { LoopScheduler } from '../../proxy/loop-scheduler.ts';
import type { CompleteResult } from '../../proxy/upstream/attempt.ts';
import { guardrailOf } from './service-guards.ts';
import { silentLog } from './silent-log.ts';

/** Finds each of the phrases, in any surroundings, with the label WORD. */
export function literally(words: readonly string[]): Matcher {
  return {
    cost: 1,
    inspect: ({ raw }, from) => {
      const findings = [];
      for (let at = from; at < raw.length; at++) {
        const word = words.find((one) => raw.startsWith(one, at));
        if (word === undefined) continue;
        findings.push({ start: at, end: at + word.length, label: 'WORD' });
        at += word.length - 1;
      }
      return { findings, decided: raw.length };
    },
  };
}

export const throwing: Matcher = {
  cost: 1,
  inspect: () => {
    throw new Error('a defect');
  },
};

/** @param words phrases to find; "!" throws, "?" is refused by the compiler */
export function phrasesGuardrail(words: readonly string[], fields: Partial<Guardrail> = {}): Guardrail {
  return guardrailOf({ kind: 'words', phrases: words, withinWords: true }, fields);
}

export function compileLiterally(check: TextCheck): Matcher {
  const words = check.kind === 'words' ? check.phrases : ['person@example.com'];
  if (words.includes('?')) throw new Error('refused');
  return words.includes('!') ? throwing : literally(words);
}

export function callWith(guardrails: readonly Guardrail[], body: JsonObject, aiSystemId?: string): ChatCall {
  const organization = { id: 'organization-1', guardrails } as OrganizationRecord;
  const scope =
    aiSystemId === undefined ? { kind: 'organization', id: 'organization-1' } : { kind: 'ai_system', id: aiSystemId };
  const principal = { organization, key: { keyId: 'key-1', scope } } as Principal;
  const request = parseChatRequest(
    Buffer.from(JSON.stringify({ model: 'gpt-provider/m', messages: [{ role: 'user' }], ...body })),
  );
  return {
    requestId: 'request-1',
    caller: { principal, project: undefined, direct: false },
    request,
    qualifiedModel: 'gpt-provider/m',
  } as ChatCall;
}

export interface Inspecting {
  readonly context: InspectContext;
  /** In the form in which they are counted: "our-guard input block". */
  readonly decisions: string[];
  readonly samples: Decided[];
  readonly took: string[];
  inspect(call: ChatCall): Inspection | Promise<Inspection>;
  /** Ends the request from outside. */
  abort(error: Error): void;
}

/** @param compiled compiler of matchers; default: literal matchers of the phrases */
export function openInspecting(
  deps: Partial<RequestInspectionDeps> = {},
  compiled: Pick<CompiledGuardrailsDeps, 'compile'> = { compile: compileLiterally },
): Inspecting {
  const decisions: string[] = [];
  const samples: Decided[] = [];
  const took: string[] = [];
  let abortable: { abort(error: Error): void } | undefined;
  const context: InspectContext = {
    record: { guardrailHeader: undefined, guardrailsNotPassed: undefined },
    onAbort: (reported) => {
      abortable = reported;
    },
    buffer: () => undefined,
  };
  const never = () => {
    throw new Error('not called in this test');
  };
  const guardrails = createGuardrails(new CompiledGuardrails({ log: silentLog, ...compiled }), {
    metrics: {
      decided: ({ name }, stage, decision) => void decisions.push(`${name} ${stage} ${decision}`),
      took: (stage) => void took.push(stage),
    },
    samples: { add: (decided) => void samples.push(decided) },
    scanner: new Scanner({
      pool: { scan: never },
      loop: new LoopScheduler({ now: () => performance.now() }),
      window: 512,
    }),
    guardStream: never,
    serviceGuard: never,
    now: () => performance.now(),
    ...deps,
  });
  return {
    ...{ context, decisions, samples, took },
    inspect: (call) => guardrails.inspect(call, context),
    abort: (error) => abortable?.abort(error),
  };
}

/** The body for the model. @throws GatewayError */
export async function inspected(guardrail: Guardrail, body: JsonObject): Promise<JsonObject> {
  const { call } = await openInspecting().inspect(callWith([guardrail], body));
  return call.request.body;
}

export function complete(response: unknown): CompleteResult {
  const body = Buffer.from(typeof response === 'string' ? response : JSON.stringify(response));
  return { kind: 'complete', headers: [], body };
}

/** The response for the caller. @throws GatewayError */
export async function responded(guardrail: Guardrail, response: unknown): Promise<CompleteResult> {
  const { output } = await openInspecting().inspect(callWith([guardrail], {}));
  const result = complete(response);
  const guarded = output === undefined ? result : await output.guard(result);
  if (guarded.kind !== 'complete') throw new Error('a complete response became a stream');
  return guarded;
}
