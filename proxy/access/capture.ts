// Whose requests an owner has proxies capture. A rule ends by the proxy's own clock. Which requests of a sample are
// captured follows from ids that the proxy makes, so that no caller chooses.
import { hash } from 'node:crypto';
import type { CaptureTargetKind } from '../../proto/words/captures.ts';
import type { CaptureRule } from './capture-settings.ts';
import type { Principal } from './principal.ts';

/** The rules for requests of the key, those for fewer keys first. @param now milliseconds since 1970 */
export function captureRulesOf({ organization, key }: Principal, now: number): readonly CaptureRule[] {
  const { capture } = organization;
  if (capture === undefined) return none;
  const of = (kind: CaptureTargetKind, id: string) =>
    capture.rules.filter(({ target, endsAt }) => now < endsAt && target.kind === kind && target.id === id);
  return [
    ...of('virtual_key', key.keyId),
    ...(key.scope.kind === 'ai_system' ? of('ai_system', key.scope.id) : []),
    ...of('organization', organization.id),
  ];
}

const none: readonly CaptureRule[] = [];

/** @param id of the request's row. @returns the first rule whose sample contains the request */
export function sampledRule(rules: readonly CaptureRule[], id: string): CaptureRule | undefined {
  if (rules.length === 0) return undefined;
  const position = hash('sha256', id, 'buffer').readUInt32BE(0) % 1000;
  return rules.find(({ samplePerThousand }) => position < samplePerThousand);
}
