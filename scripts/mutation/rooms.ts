// The rooms of mutation tests: which files are mutated, and which tests must fail. All paths are globs from the root of
// the repository, because files move. test/unit/scripts/mutation-rooms.test.ts checks that every critical file is in
// one room.
import { globSync } from 'node:fs';
import { join } from 'node:path';

export interface Room {
  /** The cost of an error in this code, in one line. */
  readonly why: string;
  readonly mutated: readonly string[];
  /** Files of the same folders that these tests do not cover. */
  readonly left: readonly LeftOut[];
  /** Test files that need no servers. */
  readonly tests: readonly string[];
}

interface LeftOut {
  readonly files: readonly string[];
  readonly why: string;
}

export type RoomName = 'ledger' | 'access' | 'windows' | 'translators';

export const rooms: Readonly<Record<RoomName, Room>> = {
  ledger: {
    why: 'money and rates: a budget is overspent, or a request refused that had budget',
    mutated: [
      'proxy/{ledger,budgets,rates,pricing,usage,journal}/**/*.ts',
      'control-plane/ledger/{bounds,matching,ordinals}.ts',
    ],
    left: [
      {
        files: ['control-plane/ledger/!(bounds|matching|ordinals).ts'],
        why: 'transactions on a database: integration tests and test/model check them',
      },
    ],
    tests: [
      'test/unit/proxy/{ledger,budgets,rates,pricing,usage,journal}/**/*.test.ts',
      'test/unit/control-plane/ledger/**/*.test.ts',
    ],
  },
  access: {
    why: 'who may call what: a revoked key still works, or a valid one is refused',
    mutated: ['proxy/{access,record-cache}/**/*.ts'],
    left: [],
    tests: ['test/unit/proxy/{access,record-cache}/**/*.test.ts'],
  },
  windows: {
    why: 'guardrails on streams: text that a guardrail blocks or replaces gets out',
    mutated: ['guardrails/*.ts', 'proxy/guardrails/{*,stream/**/*}.ts'],
    left: [
      {
        files: ['proxy/guardrails/{guardrail,scan}-worker.ts'],
        why: 'they run in threads of their own, where no mutant is active',
      },
      {
        files: ['proxy/guardrails/worker-pool.ts'],
        why: 'its tests wait for threads: half a minute for each mutant',
      },
    ],
    tests: [
      'test/unit/guardrails/*.test.ts',
      'test/unit/proxy/control-plane/wire-guardrails.test.ts',
      'test/unit/proxy/guardrails/{!(worker-pool),*/**/*}.test.ts',
    ],
  },
  translators: {
    why: 'wire formats: a request, response, stream or error means something else to the other side',
    mutated: ['proxy/{formats,conversation,models}/**/*.ts', 'common/event-stream.ts'],
    left: [],
    tests: [
      'test/golden/{golden,clients}.test.ts',
      'test/unit/proxy/{formats,conversation,models}/**/*.test.ts',
      'test/unit/proxy/providers/*.test.ts',
      'test/unit/proxy/pricing/{special-usage,vendor-rules}.test.ts',
      'test/unit/proxy/upstream/{translation,images,response-model}.test.ts',
    ],
  },
};

export const root = join(import.meta.dirname, '../..');

export function isRoomName(name: string): name is RoomName {
  return Object.hasOwn(rooms, name);
}

/** @returns the files that match the globs, from the root, sorted */
export function filesOf(globs: readonly string[], exclude: readonly string[] = []): readonly string[] {
  return globSync([...globs], { cwd: root, exclude: [...exclude] }).toSorted();
}

export function mutatedFiles({ mutated, left }: Room): readonly string[] {
  return filesOf(
    mutated,
    left.flatMap(({ files }) => files),
  );
}
