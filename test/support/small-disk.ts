// A disk of limited size for one program, like an operator's volume that runs full: a separate mount, seen by that
// program only, which is gone with it. Needs `unshare` (util-linux), as root or where users may make namespaces.
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
  /** An existing empty folder where the program sees the disk. */
  readonly folder: string;
  readonly kibibytes: number;
}

/** As startNode. */
export function startNodeOnSmallDisk(disk: SmallDisk, args: readonly string[], options: ChildOptions): OnSmallDisk {
  const within = onSmallDisk(disk);
  const child = startProcess(process.execPath, args, { cwd: projectRoot, ...options, within });
  return { child, ...smallDiskOf(child, disk) };
}

/** Prefix of a program's command that gives it the disk. */
export function onSmallDisk({ folder, kibibytes }: SmallDisk): readonly string[] {
  return inOwnMounts(`mount -t tmpfs -o size=${kibibytes}k tmpfs "$0"`, folder);
}

/**
 * Prefix of a program's command that runs a script of mounts, which only the program sees. @param folder `$0` of the
 * script
 */
export function inOwnMounts(script: string, folder: string): readonly string[] {
  const asRoot = process.getuid?.() === 0 ? [] : ['--map-root-user'];
  return ['unshare', '--mount', ...asRoot, 'sh', '-c', `${script} && exec "$@"`, folder];
}

/** The disk as this process reaches it. */
export function smallDiskOf(
  child: Pick<Child, 'pid'>,
  { folder }: Pick<SmallDisk, 'folder'> & Partial<SmallDisk>,
): Omit<OnSmallDisk, 'child'> {
  const path = (name: string) => join(`/proc/${child.pid}/root`, folder, name);
  return {
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
