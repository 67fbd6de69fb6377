// What can fail in a chaos run: a table of its targets, each with its kinds of faults and how they begin and end.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Vendor } from '../resilience/world.ts';
import type { Forwarder } from '../support/black-hole.ts';
import { smallDiskOf } from '../support/small-disk.ts';
import type { Strikes } from '../support/struck.preload.ts';
import type { Program } from './ledger.programs.ts';
import type { Fault, FaultKind } from './schedule.ts';

/** Begins the fault. @returns what ends it */
export type Strike = (fault: Fault) => Promise<() => Promise<unknown>>;
export type Seat = Readonly<Partial<Record<FaultKind, Strike>>>;

export const preload = new URL('../support/struck.preload.ts', import.meta.url).href;

/** The file from which a program's preload reads what it simulates. */
export interface StrikesFile {
  readonly path: string;
  remove(): void;
}

export function strikesFile(): StrikesFile {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-chaos-'));
  const path = join(folder, 'strikes.json');
  writeFileSync(path, '{}');
  return { path, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export function programSeat(program: Program, { path }: StrikesFile): Seat {
  const set = async (strikes: Strikes) => {
    writeFileSync(path, JSON.stringify(strikes));
    program.child.signal('SIGUSR2');
  };
  return {
    kill: async () => {
      await program.kill();
      return () => program.restart();
    },
    pause: async () => {
      program.child.signal('SIGSTOP');
      return async () => program.child.signal('SIGCONT');
    },
    clock: async ({ ms = 0 }) => {
      await set({ clockMs: ms });
      return () => set({});
    },
  };
}

/** The disk of its journal fills up. */
export function diskSeat(program: Program, folder: string): Seat {
  return {
    disk: async () => {
      const disk = smallDiskOf(program.child, { folder });
      disk.fill();
      return async () => disk.free();
    },
  };
}

export function linkSeat(links: readonly Forwarder[]): Seat {
  const heal = () => Promise.all(links.map((link) => link.heal()));
  return {
    freeze: async () => {
      for (const link of links) link.freeze();
      return heal;
    },
    cut: async () => {
      await Promise.all(links.map((link) => link.cut()));
      return heal;
    },
    slow: async ({ ms = 0 }) => {
      for (const link of links) link.slow(ms);
      return heal;
    },
  };
}

export function vendorSeat(vendor: Vendor): Seat {
  return {
    outage: async () => {
      await vendor.fail({ status: 503 });
      return () => vendor.fail(undefined);
    },
    pause: async () => {
      vendor.child.signal('SIGSTOP');
      return async () => vendor.child.signal('SIGCONT');
    },
  };
}
