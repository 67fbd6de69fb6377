-- Takes one request's part of all of its limits, or of none. Run twice it takes once: KEYS[1] says that it has.
-- KEYS[2…]: one for each limit. ARGV: not after, tokens, name of the lease, its milliseconds; then kind and maximum of each limit.
-- Answers 1 admitted or 0 refused, now, and for each limit: milliseconds until it lets this in (0: now), what remains,
-- milliseconds until all of it remains.
local again = redis.call('EXISTS', KEYS[1]) == 1
local tokens, name, lease_ms = tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])
local look = {}
local take = {}

-- Requests: one cell for each second, the running one and the sixty before it: the oldest counts whole. `count` is their sum.
local cells = 61

function look.requests_per_minute(key, max)
  local state = redis.call('HMGET', key, 'second', 'count')
  local second, count = math.floor(now / 1000), tonumber(state[2]) or 0
  local last = tonumber(state[1]) or second
  local passed = second - last
  if passed < 0 then
    second = last
  elseif passed >= cells then
    redis.call('DEL', key)
    count = 0
  elseif passed > 0 then
    local old = {}
    for s = last + 1, second do
      old[#old + 1] = s % cells
    end
    for _, taken in ipairs(redis.call('HMGET', key, unpack(old))) do
      count = count - (taken or 0)
    end
    redis.call('HDEL', key, unpack(old))
    redis.call('HSET', key, 'second', second, 'count', count)
  end
  local limit = { left = max - count, cost = 1, second = second, count = count, opens = 0 }
  limit.resets = (second + cells) * 1000 - now
  if count < max then
    return limit
  end
  -- It opens when enough of the oldest cells are past.
  limit.opens = limit.resets
  local order = {}
  for s = second - cells + 1, second do
    order[#order + 1] = s % cells
  end
  for i, taken in ipairs(redis.call('HMGET', key, unpack(order))) do
    count = count - (taken or 0)
    if count < max then
      limit.opens = (second + i) * 1000 - now
      break
    end
  end
  return limit
end

function take.requests_per_minute(key, max, limit)
  redis.call('HINCRBY', key, limit.second % cells, 1)
  redis.call('HSET', key, 'second', limit.second, 'count', limit.count + 1)
  redis.call('PEXPIRE', key, (cells + 1) * 1000)
end

function look.tokens_per_minute(key, max)
  local used, at = read_bucket(key, max)
  local over = used + tokens * part - max * part
  local limit = { cost = tokens, used = used, at = at, opens = math.max(0, math.ceil(over / max)) }
  limit.left = math.floor((max * part - used) / part)
  limit.resets = math.ceil(used / max)
  return limit
end

function take.tokens_per_minute(key, max, limit)
  limit.resets = math.ceil((limit.used + tokens * part) / max)
  write_bucket(key, max, limit.used + tokens * part, limit.at)
end

-- Requests at a time: a lease for each, which ends by itself where its proxy no longer renews it.
function look.concurrent_requests(key, max)
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
  local held = redis.call('ZCARD', key)
  local limit = { left = max - held, cost = 1, opens = 0, resets = 0 }
  if held >= max then
    limit.opens = 1000
  end
  return limit
end

function take.concurrent_requests(key, max, limit)
  redis.call('ZADD', key, now + lease_ms, name)
  redis.call('PEXPIRE', key, lease_ms + 1000)
end

local limits = {}
local admitted = true
for i = 2, #KEYS do
  local kind, max = ARGV[2 * i + 1], tonumber(ARGV[2 * i + 2])
  local limit = look[kind](KEYS[i], max)
  limit.take = function()
    take[kind](KEYS[i], max, limit)
  end
  limits[#limits + 1] = limit
  admitted = admitted and limit.opens == 0
end

if admitted and not again then
  for _, limit in ipairs(limits) do
    limit.take()
    limit.left = limit.left - limit.cost
  end
  redis.call('SET', KEYS[1], '', 'PX', ARGV[1] - now + 1)
end

local answer = { (admitted or again) and 1 or 0, now }
for _, limit in ipairs(limits) do
  answer[#answer + 1] = limit.opens
  answer[#answer + 1] = math.max(0, limit.left)
  answer[#answer + 1] = limit.resets
end
return answer
