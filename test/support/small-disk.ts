// A disk of so many bytes for one program, as an operator's volume that runs full: a mount of its own, seen by that program alone, which
// is gone with it. Needs `unshare` (util-linux), as root or where users may make namespaces.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Child, type ChildOptions, projectRoot, startProcess } from './process.ts';

export interface OnSmallDisk {
  readonly child: Child;
  /** A path on its disk, as this process reaches it. */
  path(name: string): string;
  fill(): void;
  free(): void;
}

export interface SmallDisk {
  /** An empty folder that is there: where the program sees the disk. */
  readonly folder: string;
  readonly kibibytes: number;
}

/** As startNode. */
export function startNodeOnSmallDisk(
  { folder, kibibytes }: SmallDisk,
  args: readonly string[],
  options: ChildOptions,
): OnSmallDisk {
  const mounted = `mount -t tmpfs -o size=${kibibytes}k tmpfs "$0" && exec "$@"`;
  const asRoot = process.getuid?.() === 0 ? [] : ['--map-root-user'];
  const command = ['--mount', ...asRoot, 'sh', '-c', mounted, folder, process.execPath, ...args];
  const child = startProcess('unshare', command, { cwd: projectRoot, ...options });
  const path = (name: string) => join(`/proc/${child.pid}/root`, folder, name);
  return {
    child,
    path,
    fill: () => {
      try {
        for (;;) writeFileSync(path('fill'), Buffer.alloc(4096), { flag: 'a' });
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
      }
    },
    free: () => rmSync(path('fill')),
  };
}
