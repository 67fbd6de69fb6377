// The services of one stage: those that rewrite are asked one after another, each about what the one before has left; all others at
// the same time, about what the first is asked about.
import type { ServiceGuard } from './service.ts';

export interface AskedText {
  readonly text: string;
  /** Nothing can be put in place of what is found in it. */
  readonly isFixed: boolean;
}

/** @returns each text as it is left; empty ones are not asked about. @throws GatewayError guardrail_blocked */
export async function askServices(
  services: readonly ServiceGuard[],
  texts: readonly AskedText[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const asked = texts.filter(({ text }) => text !== '');
  if (asked.length === 0) return texts.map(({ text }) => text);
  const given = asked.map(({ text }) => text);
  const isFixed = (index: number) => asked[index]?.isFixed === true;
  const ask = (service: ServiceGuard, strings: readonly string[]) => service.judge(strings, signal, isFixed);
  const rewrite = async () => {
    let left: readonly string[] = given;
    for (const service of services.filter(rewrites)) left = await ask(service, left);
    return left;
  };
  const others = services.filter((service) => !rewrites(service)).map((service) => ask(service, given));
  const [left] = await Promise.all([rewrite(), ...others]);
  const next = left.values();
  return texts.map(({ text }) => (text === '' ? text : (next.next().value ?? text)));
}

function rewrites({ guardrail }: ServiceGuard): boolean {
  return guardrail.action === 'redact';
}
