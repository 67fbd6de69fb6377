// Calls the services of one stage with whole texts. Services that rewrite are called one after another, each with the
// result of the one before; all others at the same time, with the texts that the first one gets. Long texts are sent in
// windows, as those of streams are.
import { Placeholders } from '../../../guardrails/placeholders.ts';
import type { RequestFacts, ServiceGuard } from '../service.ts';
import { WindowedText, windowsOf } from './windows.ts';

export interface ServiceText {
  readonly text: string;
  /** Nothing in it can be replaced. */
  readonly isFixed: boolean;
  /** Placeholders for its matches. Texts with the same object share one numbering. */
  readonly placeholders?: Placeholders;
}

/**
 * @returns each text after redaction; empty ones are not sent.
 * @throws GatewayError guardrail_blocked, guardrail_unavailable
 */
export async function askServices(
  services: readonly ServiceGuard[],
  texts: readonly ServiceText[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const requested = texts.filter(({ text }) => text !== '');
  if (requested.length === 0) return texts.map(({ text }) => text);
  const ask = async (service: ServiceGuard, given: readonly ServiceText[]) => {
    const left = await (rewrites(service) ? rewritten : looked)(service, given, signal);
    service.ended();
    return given.map((one, index) => ({ ...one, text: left[index] ?? one.text }));
  };
  const rewrite = async () => {
    let left: readonly ServiceText[] = requested;
    for (const service of services.filter(rewrites)) left = await ask(service, left);
    return left;
  };
  const others = services.filter((service) => !rewrites(service)).map((service) => ask(service, requested));
  const [left] = await Promise.all([rewrite(), ...others]);
  const next = left.values();
  return texts.map(({ text }) => (text === '' ? text : (next.next().value?.text ?? text)));
}

export function rewrites({ guardrail }: ServiceGuard): boolean {
  return guardrail.action === 'redact';
}

/** Nothing is replaced, so all windows are sent at once. */
async function looked(
  service: ServiceGuard,
  texts: readonly ServiceText[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const windows = texts.flatMap((one) => windowsOf(one.text, service.window).map((text) => ({ ...one, text })));
  await service.inspect(
    windows.map(({ text }) => text),
    signal,
    aboutOf(windows),
  );
  return texts.map(({ text }) => text);
}

/** The next window of each text depends on the result of the one before. */
async function rewritten(
  service: ServiceGuard,
  texts: readonly ServiceText[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const left = texts.map(() => '');
  const windowed = texts.map(({ text }) => {
    const one = new WindowedText(service.window);
    one.push(text);
    one.end();
    return one;
  });
  for (;;) {
    const due = [...windowed.entries()].filter(([, one]) => one.isDue);
    if (due.length === 0) return left;
    const requested = due.map(([index, one]) => ({
      isFixed: texts[index]?.isFixed === true,
      placeholders: texts[index]?.placeholders,
      isWhole: one.isWhole,
      text: one.ask(),
    }));
    const responses = await service.inspect(
      requested.map(({ text }) => text),
      signal,
      aboutOf(requested),
    );
    for (const [at, [index, one]] of due.entries()) left[index] += one.returned(responses[at] ?? '');
  }
}

export interface WindowAbout {
  readonly isFixed: boolean;
  readonly isWhole?: boolean;
  readonly placeholders?: Placeholders | undefined;
}

export function aboutOf(windows: readonly WindowAbout[]): RequestFacts {
  return {
    isFixed: (index) => windows[index]?.isFixed === true,
    isWhole: (index) => windows[index]?.isWhole !== false,
    placeholders: (index) => windows[index]?.placeholders ?? new Placeholders(),
  };
}
