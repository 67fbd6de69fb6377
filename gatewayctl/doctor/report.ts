// The diagnosis for people and for programs. Text from servers and proxies is shown without control characters, because
// it must not control the operator's terminal.
import { withoutCredentials } from '../failure.ts';
import type { Diagnosis } from './doctor.ts';
import { checkNames, type Finding } from './finding.ts';

const width = Math.max(...checkNames.map((name) => name.length));

const marks = { ok: 'ok', warning: 'warning', failed: 'FAILED', skipped: 'skipped' } as const;
const markWidth = 7;

export function reportText({ server, findings, failed }: Diagnosis): string {
  const lines = findings.flatMap(({ check, verdict, says, advice }) => {
    const head = `${marks[verdict].padEnd(markWidth)}  ${check.padEnd(width)}  `;
    const more = advice === undefined ? [] : [`${' '.repeat(head.length)}→ ${plain(advice)}`];
    return [`${head}${plain(says)}`, ...more];
  });
  return `${server}\n${lines.join('\n')}\n${verdictText(findings, failed)}\n`;
}

function verdictText(findings: readonly Finding[], failed: boolean): string {
  const count = (verdict: Finding['verdict']) => findings.filter((one) => one.verdict === verdict).length;
  if (failed) return `${count('failed')} of ${findings.length} checks failed`;
  const warnings = count('warning');
  return warnings > 0 ? `nothing failed; ${warnings} to look at` : 'all is well';
}

export function reportJson({ server, findings, failed }: Diagnosis): object {
  const checks = findings.map(({ check, verdict, says, advice }) => ({
    check,
    verdict,
    message: plain(says),
    ...(advice !== undefined && { advice: plain(advice) }),
  }));
  return { server, ok: !failed, checks };
}

function plain(text: string): string {
  return withoutCredentials(text).replace(/\p{Cc}/gu, ' ');
}
