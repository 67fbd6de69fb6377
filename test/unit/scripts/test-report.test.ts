import { describe, expect, it } from 'vitest';
import { countReport, type VitestReport } from '../../../scripts/test-report.ts';

const green: VitestReport = {
  success: true,
  numPassedTests: 2,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  testResults: [{ status: 'passed', assertionResults: [{ status: 'passed' }, { status: 'passed' }] }],
};

describe('countReport', () => {
  it('counts a successful run unchanged', () => {
    expect(countReport(green, 0)).toEqual({ passed: 2, failed: 0 });
  });

  it('counts a failed test once, and not again for its file', () => {
    const report = {
      ...green,
      success: false,
      numPassedTests: 1,
      numFailedTests: 1,
      testResults: [{ status: 'failed', assertionResults: [{ status: 'passed' }, { status: 'failed' }] }],
    };
    expect(countReport(report, 1)).toEqual({ passed: 1, failed: 1 });
  });

  it('counts a file that did not load, although it has no failed test', () => {
    const broken = { status: 'failed', assertionResults: [] };
    const report = { ...green, success: false, testResults: [...green.testResults, broken] };
    expect(countReport(report, 1)).toEqual({ passed: 2, failed: 1 });
  });

  it('counts skipped and todo tests as failed', () => {
    expect(countReport({ ...green, numPendingTests: 1, numTodoTests: 2 }, 0)).toEqual({
      passed: 2,
      failed: 3,
    });
  });

  it('fails when no test ran', () => {
    expect(countReport({ ...green, numPassedTests: 0, testResults: [] }, 0)).toEqual({
      passed: 0,
      failed: 1,
    });
  });

  it('fails when there is no report', () => {
    expect(countReport(undefined, 0)).toEqual({ passed: 0, failed: 1 });
  });

  it('fails when all tests pass but the runner exits with an error, as for an unhandled rejection', () => {
    expect(countReport(green, 1)).toEqual({ passed: 2, failed: 1 });
    expect(countReport({ ...green, success: false }, 0)).toEqual({ passed: 2, failed: 1 });
  });
});
