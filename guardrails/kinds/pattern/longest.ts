// How long a match of a compiled expression can be, read off its instructions.
import { type Instruction, op, type Program } from './program.ts';

/** In UTF-16 units; infinite where it repeats something without a bound. */
export function longestMatch({ instructions, start }: Program): number {
  const lengths = new Map<number, number>();
  /** Of the places that the walk stands within, one behind another. */
  const within = new Set<number>();
  const open = [start];
  for (let place = open.at(-1); place !== undefined; place = open.at(-1)) {
    const instruction = instructions[place];
    const ways = instruction === undefined || lengths.has(place) ? [] : waysOut(instruction);
    const ahead = ways.filter((way) => !lengths.has(way));
    within.add(place);
    if (ahead.some((way) => within.has(way))) return Number.POSITIVE_INFINITY;
    if (ahead.length > 0) {
      open.push(...ahead);
      continue;
    }
    open.pop();
    within.delete(place);
    if (lengths.has(place)) continue;
    const behind = ways.reduce((longest, way) => Math.max(longest, lengths.get(way) ?? 0), 0);
    lengths.set(place, behind + (instruction === undefined ? 0 : unitsOf(instruction)));
  }
  return lengths.get(start) ?? 0;
}

function waysOut({ op: kind, out, arg }: Instruction): readonly number[] {
  if (kind === op.alternative || kind === op.alternativeMatch) return [out, arg];
  return kind === op.fail || kind === op.match ? [] : [out];
}

/** Of the character that an instruction takes. */
function unitsOf({ op: kind, runes }: Instruction): number {
  if (kind <= op.nop) return 0;
  const last = runes.at(-1) ?? 0x10ffff;
  return last > 0xffff ? 2 : 1;
}
