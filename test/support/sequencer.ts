// The order of test files: those that start servers come first, so that no long one runs alone at the end.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}

/** Sorting keeps the order of files of one rank. */
const ranks = ['/test/hostile/', '/test/chaos/', '/test/exhaustion/', '/test/integration/', '/test/'];

function rankOf({ moduleId }: TestSpecification): number {
  return ranks.findIndex((folder) => moduleId.includes(folder));
}
