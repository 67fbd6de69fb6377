// All data of databases and Redis as bytes, to be searched.
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { runSql } from './databases.ts';

/** A database of the control plane with direct access to its bytes and tables. */
export interface KeptDatabase {
  read(): Promise<Buffer>;
  run(sql: string): Promise<void>;
}

/** The file and its write-ahead log, including deleted data that was not overwritten. */
export function sqliteAt(path: string): KeptDatabase {
  return {
    read: async () => Buffer.concat([readFileSync(path), readFileSync(`${path}-wal`)]),
    run: async (sql) => {
      using database = new DatabaseSync(path, { timeout: 2000 });
      database.exec(sql);
    },
  };
}

/** Every column of every row of every table, as text and as bytes. */
export function postgresAt(url: string): KeptDatabase {
  return { read: () => readTables(url), run: (sql) => runSql(url, sql) };
}

async function readTables(url: string): Promise<Buffer> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'public'`,
    );
    const parts: Buffer[] = [];
    for (const { name } of rows) {
      const table = await client.query<Record<string, unknown>>(`select * from "${name}"`);
      for (const row of table.rows) {
        for (const [column, value] of Object.entries(row)) {
          const bytes = Buffer.isBuffer(value) ? value : Buffer.from(String(value));
          parts.push(Buffer.from(`\n${name}.${column} `), bytes);
        }
      }
    }
    return Buffer.concat(parts);
  } finally {
    await client.end();
  }
}

/** Every key and its value, of any type. */
export async function readRedis(url: string): Promise<Buffer> {
  return withRedis(url, async (client) => {
    const parts: Buffer[] = [];
    for await (const keys of client.scanBufferStream({ count: 1000 }) as AsyncIterable<Buffer[]>) {
      for (const key of keys) {
        const isText = (await client.type(key)) === 'string';
        const value = isText ? await client.getBuffer(key) : await client.dumpBuffer(key);
        parts.push(key, Buffer.from(' '), value ?? Buffer.alloc(0), Buffer.from('\n'));
      }
    }
    return Buffer.concat(parts);
  });
}

export function setInRedis(url: string, key: string, value: string): Promise<unknown> {
  return withRedis(url, (client) => client.set(key, value));
}

async function withRedis<T>(url: string, use: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 1 });
  try {
    await client.connect();
    return await use(client);
  } finally {
    client.disconnect();
  }
}
