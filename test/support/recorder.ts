// Named requests, from their caller through the gateway to the simulated vendor: the vendor's requests and reported
// usage, independent of the response's fate on its way back.
import type { Behaviour, RecordedRequest, Simulator } from '../../simulator/index.ts';
import { costOf, type RecordedRequest as Row } from './recorded.ts';

/** Counts of the vendor. */
export interface UsageReport {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** Nano-dollars, at the prices of `makeDear`. */
export function costReported({ promptTokens, completionTokens }: UsageReport): number {
  return promptTokens * 1_000 + completionTokens * 60_000;
}

/** Whether usage is recorded as the vendor reported it, at the prices of `makeDear`. */
export function isAsReported(row: Row, reported: UsageReport): boolean {
  const { promptTokens, completionTokens, estimated } = row;
  const isSame = promptTokens === reported.promptTokens && completionTokens === reported.completionTokens;
  return isSame && !estimated && costOf(row) === costReported(reported);
}

/**
 * Fields of a request with this name and this response of the vendor. @param reported null: the vendor reports no usage
 */
export function namedRequest(name: string, reported: UsageReport | null, behaviour: Behaviour = {}): object {
  const usage = reported && {
    prompt_tokens: reported.promptTokens,
    completion_tokens: reported.completionTokens,
  };
  const simulate: Behaviour = { text: `${name} is the name of this request, and so it is sent.`, usage };
  const content = JSON.stringify({ simulate: { ...simulate, ...behaviour } });
  return { messages: [{ role: 'user', content }] };
}

export interface Witnessed {
  /** The latest request; its `ended` is set later. */
  readonly request: RecordedRequest;
  /** Number of requests with this name. */
  readonly times: number;
}

/** Every named request from now on, until the simulator is reset. */
export function record(simulator: Simulator): ReadonlyMap<string, Witnessed> {
  const witnessed = new Map<string, Witnessed>();
  const look = (request: RecordedRequest) => {
    const [, name] = /"simulate\\":\{\\"text\\":\\"(\S+) is the name/.exec(request.body.toString()) ?? [];
    if (name !== undefined) witnessed.set(name, { request, times: (witnessed.get(name)?.times ?? 0) + 1 });
    return false;
  };
  simulator.script({}, { when: look, times: Number.POSITIVE_INFINITY });
  return witnessed;
}
