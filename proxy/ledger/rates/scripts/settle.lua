-- Replaces a request's estimate by what it used and ends its leases. Run twice it does so once: KEYS[1] says that it has.
-- KEYS[2…]: one for each limit. ARGV: not after, tokens used above the estimate (or below it, negative), name of the lease;
-- then kind and maximum of each limit.
if not redis.call('SET', KEYS[1], '', 'NX', 'PX', ARGV[1] - now + 1) then
  return { 1, now }
end
local correction, name = tonumber(ARGV[2]), ARGV[3]
for i = 2, #KEYS do
  local kind, max = ARGV[2 * i], tonumber(ARGV[2 * i + 1])
  if kind == 'tokens_per_minute' then
    local used, at = read_bucket(KEYS[i], max)
    write_bucket(KEYS[i], max, used + correction * part, at)
  else
    redis.call('ZREM', KEYS[i], name)
  end
end
return { 1, now }
