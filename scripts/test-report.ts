// Counts a vitest JSON report. A test that did not run never counts as passed.
export interface Counts {
  readonly passed: number;
  readonly failed: number;
}

export interface VitestReport {
  readonly success: boolean;
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

/**
 * Failures are: failed, skipped and unwritten tests; files that failed without a failing test (they did not load, or a
 * hook threw); and one more if the run failed for a reason that no test shows: no report, no test found, an error
 * outside the tests.
 */
export function countReport(report: VitestReport | undefined, exitCode: number): Counts {
  if (report === undefined) return { passed: 0, failed: 1 };
  const brokenFiles = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  const seen = report.numFailedTests + report.numPendingTests + report.numTodoTests + brokenFiles.length;
  const sound = report.success && exitCode === 0 && report.numPassedTests > 0;
  return { passed: report.numPassedTests, failed: seen === 0 && !sound ? 1 : seen };
}
