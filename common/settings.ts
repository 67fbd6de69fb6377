// Decodes settings from environment variables. Every program lists its settings in one table. All mistakes are reported
// at once, written for the operator who has to fix them. A name ending in `_FILE` gives a file to read a secret from.
import { readFileSync } from 'node:fs';
import { blockList, familyOf } from './addresses.ts';
import { Secret } from './secret.ts';

/** Exit code for unusable settings (EX_USAGE). */
export const badSettingsExitCode = 64;

export class SettingsError extends Error {
  readonly mistakes: readonly string[];

  constructor(mistakes: readonly string[]) {
    super(
      `${mistakes.length === 1 ? 'a setting is' : 'settings are'} wrong:\n${mistakes.map((m) => `  ${m}`).join('\n')}`,
    );
    this.name = 'SettingsError';
    this.mistakes = mistakes;
  }
}

/** Turns the text of one variable into a value. Throws an Error whose message names the accepted form. */
export type Decoder<T> = (text: string) => T;

export interface Setting<T> {
  readonly name: string;
  /** One sentence for docs/configuration.md: what it sets, and the reason for the default. */
  readonly about: string;
  readonly decode: Decoder<T>;
  /** The default as written in the environment; absent if there is none. */
  readonly default?: string;
  /** Text for docs/configuration.md if the default depends on the machine. */
  readonly defaultText?: string;
  /** The value may also come from the file that `<name>_FILE` names. */
  readonly secret?: true;
}

type Values<Table extends Record<string, Setting<unknown>>> = {
  readonly [Key in keyof Table]: Table[Key] extends { default: string }
    ? ReturnType<Table[Key]['decode']>
    : ReturnType<Table[Key]['decode']> | undefined;
};

/** @throws SettingsError that names every mistake */
export function decodeSettings<const Table extends Record<string, Setting<unknown>>>(
  table: Table,
  env: NodeJS.ProcessEnv,
): Values<Table> {
  const mistakes: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [key, setting] of Object.entries(table)) {
    try {
      const text = settingText(setting, env) ?? setting.default;
      values[key] = text === undefined ? undefined : setting.decode(text);
    } catch (error) {
      mistakes.push(`${setting.name}: ${error instanceof Error ? error.message : 'cannot be read'}`);
    }
  }
  if (mistakes.length > 0) throw new SettingsError(mistakes);
  return values as Values<Table>;
}

function settingText(setting: Setting<unknown>, env: NodeJS.ProcessEnv): string | undefined {
  const direct = env[setting.name];
  const file = settingFile(setting, env);
  if (direct !== undefined && direct !== '' && file !== undefined) {
    throw new Error(`is set twice; keep ${setting.name} or ${setting.name}_FILE`);
  }
  if (file === undefined) return direct === '' ? undefined : direct;
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'error';
    throw new Error(`the file in ${setting.name}_FILE cannot be read (${code}): ${file}`);
  }
}

/** The file from which the setting was read, for settings that are read again when they change. */
export function settingFile(setting: Setting<unknown>, env: NodeJS.ProcessEnv): string | undefined {
  return (setting.secret === true && env[`${setting.name}_FILE`]) || undefined;
}

export const text: Decoder<string> = (value) => value;

export const secret: Decoder<Secret> = (value) => new Secret(value);

export const flag: Decoder<boolean> = (value) => {
  if (value === 'true' || value === '1') return true;
  if (value === 'false' || value === '0') return false;
  throw new Error('must be true or false');
};

export function integer(min: number, max: number): Decoder<number> {
  return (value) => {
    const number = Number(value);
    if (!/^-?\d+$/.test(value) || number < min || number > max) {
      throw new Error(`must be a whole number from ${min} to ${max}, not "${value}"`);
    }
    return number;
  };
}

export function oneOf<const T extends string>(values: readonly T[]): Decoder<T> {
  return (value) => {
    const found = values.find((candidate) => candidate === value);
    if (found === undefined) throw new Error(`must be one of ${values.join(', ')}, not "${value}"`);
    return found;
  };
}

const durationUnits: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** "250ms", "20s", "5m", "1h", "90d" → milliseconds. */
export const duration: Decoder<number> = (value) => {
  const match = /^(\d+)(ms|s|m|h|d)$/.exec(value);
  const unit = durationUnits[match?.[2] ?? ''];
  if (match === null || unit === undefined)
    throw new Error(`must be a duration such as 250ms, 20s, 5m or 1h, not "${value}"`);
  return Number(match[1]) * unit;
};

const sizeUnits: Record<string, number> = { '': 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };

/** "16KiB", "32MiB", "1048576" → bytes. */
export const bytes: Decoder<number> = (value) => {
  const match = /^(\d+)(KiB|MiB|GiB)?$/.exec(value);
  const unit = sizeUnits[match?.[2] ?? ''];
  if (match === null || unit === undefined) throw new Error(`must be a size such as 16KiB or 32MiB, not "${value}"`);
  return Number(match[1]) * unit;
};

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** "127.0.0.1:8080", "[::1]:8080", "0.0.0.0:0". Port 0 uses any free port. */
export const listenAddress: Decoder<ListenAddress> = (value) => {
  const match = /^(?:\[([0-9a-fA-F:]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(value);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535) throw new Error(`must be host:port, such as 127.0.0.1:8080, not "${value}"`);
  return { host: match[1] ?? match[2] ?? '', port };
};

/** "models.internal:8000", "[::1]:8000". */
export const hostAndPort: Decoder<string> = (value) => {
  if (/^(\[[0-9a-fA-F:]+\]|[A-Za-z0-9.-]+):\d{1,5}$/.test(value)) return value.toLowerCase();
  throw new Error(`must be host:port, such as models.internal:8000, not "${value}"`);
};

/** "10.0.0.0/8" */
export const cidr: Decoder<string> = (value) => {
  blockList([value]);
  return value;
};

/** "10.1.2.3", "10.0.0.0/8", "2001:db8::/32" → a CIDR block. A block of all addresses is refused. */
export const addressOrCidr: Decoder<string> = (value) => {
  const family = familyOf(value);
  const block = family === undefined ? value : `${value}/${family === 'ipv4' ? 32 : 128}`;
  if (block.endsWith('/0')) throw new Error(`must name some addresses, and "${value}" is all of them`);
  try {
    blockList([block]);
  } catch {
    throw new Error(`must be an address or a CIDR block, such as 10.1.2.3 or 10.0.0.0/8, not "${value}"`);
  }
  return block;
};

/** Items separated by commas; white space around them and empty items are dropped. */
export function list<T>(item: Decoder<T>): Decoder<readonly T[]> {
  return (value) =>
    value
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .map(item);
}

/**
 * An absolute URL with one of the protocols, without credentials, query or fragment. The result has no trailing slash.
 */
export function url(protocols: readonly string[]): Decoder<string> {
  return (value) => {
    const parsed = URL.canParse(value) ? new URL(value) : undefined;
    const plain = parsed?.username === '' && parsed.password === '' && parsed.search === '' && parsed.hash === '';
    if (parsed === undefined || !plain || !protocols.includes(parsed.protocol)) {
      throw new Error(
        `must be a URL beginning with ${protocols.map((p) => `${p}//`).join(' or ')}, without credentials or query`,
      );
    }
    return parsed.href.replace(/\/$/, '');
  };
}
