import { describe, expect, it } from 'vitest';
import { redisTarget } from '../../../../proxy/redis/target.ts';

describe('the Redis setting', () => {
  it('accepts one URL for a single server', () => {
    expect(redisTarget('redis://redis.internal')).toMatchObject({
      mode: 'single',
      nodes: [{ host: 'redis.internal', port: 6379 }],
      tls: false,
      database: 0,
    });
    expect(redisTarget('rediss://[::1]:7000/3')).toMatchObject({
      nodes: [{ host: '::1', port: 7000 }],
      tls: true,
      database: 3,
    });
  });

  it('reads credentials and keeps the password secret', () => {
    const target = redisTarget('redis://me:p%40ss%2Cword@redis:6379');
    expect(target.username).toBe('me');
    expect(target.password?.reveal()).toBe('p@ss,word');
    expect(JSON.stringify(target)).not.toContain('ss,word');
  });

  it('accepts several URLs, or one with the cluster scheme, for a Cluster', () => {
    expect(redisTarget('redis://a:1, redis://b:2')).toMatchObject({
      mode: 'cluster',
      nodes: [
        { host: 'a', port: 1 },
        { host: 'b', port: 2 },
      ],
    });
    expect(redisTarget('rediss-cluster://redis')).toMatchObject({ mode: 'cluster', tls: true });
  });

  it('accepts Sentinels with the name of their master', () => {
    expect(redisTarget('redis-sentinel://a/main,redis-sentinel://b/main')).toMatchObject({
      mode: 'sentinel',
      nodes: [
        { host: 'a', port: 26_379 },
        { host: 'b', port: 26_379 },
      ],
      masterName: 'main',
    });
  });

  it.each([
    ['', 'needs a URL'],
    ['redis:6379', 'must be URLs beginning with'],
    ['http://redis', 'must be URLs beginning with'],
    ['redis://redis?db=1', 'without query'],
    ['redis://redis/name', 'database number'],
    ['redis://a/1,redis://b/1', 'without a path'],
    ['redis-sentinel://a', 'name of the master'],
    ['redis://a,rediss://b', 'same scheme'],
    ['redis://x:secret-word@a,redis://b', 'same scheme'],
  ])('refuses %s with a message about accepted values', (text, message) => {
    expect(() => redisTarget(text)).toThrow(message);
    expect(() => redisTarget(text)).not.toThrow('secret-word');
  });
});
