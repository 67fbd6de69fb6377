-- A token bucket, kept as what is used of it, so that a changed limit changes nothing else. In sixty-thousandths of a token: a
-- limit of L gives back L of them each millisecond, and all that is counted is whole numbers. A debt is at most an hour's.
local part = 60000
local debt_ms = 3600000

local function read_bucket(key, max)
  local state = redis.call('HMGET', key, 'used', 'at')
  local used, at = tonumber(state[1]) or 0, tonumber(state[2]) or now
  -- Time that goes back gives nothing back.
  if now > at then
    used = math.max(0, used - (now - at) * max)
    at = now
  end
  return used, at
end

local function write_bucket(key, max, used, at)
  local kept = math.max(0, math.min(used, debt_ms * max))
  redis.call('HSET', key, 'used', kept, 'at', at)
  redis.call('PEXPIRE', key, math.ceil(kept / max) + 1000)
end
