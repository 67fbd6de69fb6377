// Decides by the matches that a scan found, and counts and reports the decisions. The rules are in
// guardrails/inspection/findings.ts.
import type { Guardrail, Stage } from '../../../guardrails/definition.ts';
import {
  blocks,
  firstOf,
  isEnabled,
  locate,
  type TextMatch,
  type Texts,
} from '../../../guardrails/inspection/findings.ts';
import type { Scanned } from '../../../guardrails/scan.ts';
import type { Decisions } from '../decisions.ts';

export interface ServiceCheck {
  readonly stage: Stage;
  /** By index of the matcher. */
  readonly guardrails: readonly Guardrail[];
  readonly decisions: Decisions;
}

/**
 * @returns the matches to replace
 * @throws GatewayError guardrail_blocked; guardrail_unavailable if nothing blocks and not everything was inspected
 */
export function applyFindings(
  texts: Texts,
  scanned: Scanned,
  { stage, guardrails, decisions }: ServiceCheck,
): readonly TextMatch[] {
  const found = locate(texts, scanned.hits).filter((one) => isEnabled(guardrails[one.matcher], one, texts));
  const unseen = guardrails.filter((_guardrail, matcher) => scanned.unavailable?.includes(matcher));
  const failed = guardrails.filter((_guardrail, matcher) => scanned.failed.includes(matcher));
  for (const guardrail of failed) decisions.failed(guardrail, stage);
  const blocked = firstOf(found.filter((one) => blocks(guardrails[one.matcher], one, texts)));
  const blocking = blocked && guardrails[blocked.matcher];
  if (blocking !== undefined) throw decisions.refusal(blocking, stage, 'block');
  decisions.unavailable(unseen, stage);
  const decided = guardrails.filter((guardrail) => !unseen.includes(guardrail) && !failed.includes(guardrail));
  const finding = new Set(found.map(({ matcher }) => guardrails[matcher]));
  for (const guardrail of decided)
    decisions.decided(guardrail, stage, finding.has(guardrail) ? guardrail.action : 'pass');
  return found.filter(({ matcher }) => guardrails[matcher]?.action === 'redact');
}
