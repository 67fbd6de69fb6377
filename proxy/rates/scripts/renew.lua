-- Renews all leases that one proxy has in one shard. Leases that a Redis has lost exist again afterwards.
-- KEYS: one for each limit. ARGV: not after, milliseconds of a lease; then for each limit the number of leases, and
-- their names.
local lease_ms = tonumber(ARGV[2])
local at = 3
for _, key in ipairs(KEYS) do
  local count = tonumber(ARGV[at])
  for i = at + 1, at + count do
    redis.call('ZADD', key, now + lease_ms, ARGV[i])
  end
  redis.call('PEXPIRE', key, lease_ms + 1000)
  at = at + count + 1
end
return { 1, now }
