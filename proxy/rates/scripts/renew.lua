-- Renews all leases that one proxy holds in one shard; those that a Redis has lost are there again.
-- KEYS: one for each limit. ARGV: not after, milliseconds of a lease; then for each limit how many leases, and their names.
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
