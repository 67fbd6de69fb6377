import { describe, expect, it } from 'vitest';
import { filesOf, mutatedFiles, type Room, type RoomName, rooms } from '../../../scripts/mutation/rooms.ts';

const table = Object.entries(rooms) as readonly [RoomName, Room][];

/** Files in which a mistake costs money, admits an attacker, or leaks text. */
const critical = [
  'proxy/{access,budgets,conversation,formats,journal,ledger,models,pricing,rates,record-cache,usage}/**/*.ts',
  'control-plane/ledger/**/*.ts',
  'common/event-stream.ts',
  'guardrails/*.ts',
  'proxy/guardrails/{*,stream/**/*}.ts',
];

describe('the rooms of mutation testing', () => {
  it.each(table)('%s: every glob matches files', (_name, { mutated, left, tests }) => {
    const globs = [...mutated, ...tests, ...left.flatMap(({ files }) => files)].flatMap(alternatives);
    expect(globs.filter((glob) => filesOf([glob]).length === 0)).toEqual([]);
  });

  it.each(table)('%s: mutation tests are unit or golden tests, which need no servers', (_name, { tests }) => {
    expect(filesOf(tests).filter((file) => !/^test\/(unit|golden)\/.*\.test\.ts$/.test(file))).toEqual([]);
  });

  it('every critical file is in one room, or excluded there with a reason', () => {
    const contained = table.flatMap(([, room]) => [...mutatedFiles(room), ...leftOut(room)]);
    expect(contained.toSorted()).toEqual(filesOf(critical));
  });

  it('no file is both mutated and excluded', () => {
    for (const [, room] of table) {
      const mutated = new Set(mutatedFiles(room));
      expect(leftOut(room).filter((file) => mutated.has(file))).toEqual([]);
    }
  });
});

function leftOut({ left }: Room): readonly string[] {
  return left.flatMap(({ files }) => filesOf(files));
}

/** @returns a glob for each name in braces of folders, so that an outdated name is noticed */
function alternatives(glob: string): readonly string[] {
  const [, before = '', names, after = ''] = glob.match(/^([^{]*)(?<!!)\{([^{}]*)\}(.*)$/) ?? [];
  return names === undefined ? [glob] : names.split(',').map((name) => `${before}${name}${after}`);
}
