-- One turn of a proxy: gives back for the requests that have ended, then takes for those that begin, in their order, of each its
-- part of all of its limits or of none. Each limit is read once, changed here for all of them, and written once.
-- Run twice it does so once: KEYS[1] keeps the answer. KEYS[2…]: the limits, none twice. ARGV: not after; then in JSON `leaseMs`,
-- `limits` (kind and maximum of each), `asked` (how many of them are those of requests that begin: the first), `ended` (of each
-- request the tokens above its estimate or, negative, below it, how many limits that changes, and their positions), `begun` (of
-- each its tokens, how many limits, and their positions), `endedLeases` and `begunLeases` (their names), `alone` (positions of limits,
-- and requests or tokens of each that were let in while Redis was not heard).
-- Answers 1, now, and in JSON: 1 admitted or 0 refused of each that begins, in one text; then how each limit asked stood before
-- them: of requests what was left, milliseconds until it opens if it was found full, until all of it is left; of tokens the parts
-- that were used; of places what was left.
local known = redis.call('GET', KEYS[1])
if known then
  return { 1, now, known }
end
local call = cjson.decode(ARGV[2])

-- Requests: one cell for each second, the running one and the sixty before it: the oldest counts whole. `count` is their sum.
local cells = 61
local requests = {}

function requests.open(key, max, alone)
  local second = math.floor(now / 1000)
  local state = redis.call('HMGET', key, 'second', 'count', second % cells)
  local last, count, running = tonumber(state[1]) or second, tonumber(state[2]) or 0, tonumber(state[3]) or 0
  -- Fields of cells that are past, each with the 0 that it becomes.
  local past = {}
  if second - last >= cells then
    redis.call('DEL', key)
    count, running = 0, 0
  elseif second > last then
    local old = {}
    for passed = last + 1, second do
      old[#old + 1] = passed % cells
    end
    for i, taken in ipairs(redis.call('HMGET', key, unpack(old))) do
      count = count - (taken or 0)
      if taken and i < #old then
        past[#past + 1] = old[i]
        past[#past + 1] = 0
      end
    end
    running = 0
  elseif second < last then
    second = last
    running = tonumber(redis.call('HGET', key, last % cells)) or 0
  end
  for _, more in ipairs(alone or {}) do
    count, running = count + more, running + more
  end
  return {
    key = key, max = max, second = second, last = last, count = count, running = running, past = past,
    left = max - count, resets = (second + cells) * 1000 - now,
    -- Its end was set in this second, and is later than that of any cell.
    is_kept = state[1] and last == math.floor(now / 1000),
    is_changed = alone,
  }
end

-- It opens when enough of the oldest cells are past; those since `last` are empty.
local function opens_in(limit, left)
  local order = {}
  for second = limit.second - cells + 1, math.min(limit.last, limit.second - 1) do
    order[#order + 1] = second % cells
  end
  local stored = #order > 0 and redis.call('HMGET', limit.key, unpack(order)) or {}
  for i, taken in ipairs(stored) do
    left = left + (taken or 0)
    if left > 0 then
      return (limit.second + i) * 1000 - now
    end
  end
  return limit.resets
end

function requests.close(limit, left, is_full)
  local opens = is_full and opens_in(limit, left) or 0
  local taken = limit.left - left
  if taken > 0 or limit.second > limit.last or limit.is_changed then
    local count, cell, running = limit.count + taken, limit.second % cells, limit.running + taken
    redis.call('HSET', limit.key, 'second', limit.second, 'count', count, cell, running, unpack(limit.past))
    if not limit.is_kept then
      redis.call('PEXPIRE', limit.key, (cells + 1) * 1000)
    end
  end
  return limit.left, opens, limit.resets
end

-- Tokens: a bucket, kept as what is used of it, so that a changed limit changes nothing else. In sixty-thousandths of a token: a
-- limit of L gives back L of them each millisecond, and all that is counted is whole numbers. A debt is at most an hour's.
local part = 60000
local debt_ms = 3600000
local tokens = {}

function tokens.open(key, max, corrections)
  local state = redis.call('HMGET', key, 'used', 'at')
  local used, at = tonumber(state[1]) or 0, tonumber(state[2]) or now
  -- Time that goes back gives nothing back.
  if now > at then
    used = math.max(0, used - (now - at) * max)
    at = now
  end
  for _, correction in ipairs(corrections or {}) do
    used = math.max(0, math.min(used + correction * part, debt_ms * max))
  end
  local left = math.floor((max * part - used) / part)
  return { key = key, max = max, used = used, at = at, left = left, is_changed = corrections }
end

function tokens.close(limit, left)
  if left < limit.left or limit.is_changed then
    local used = limit.used + (limit.left - left) * part
    redis.call('HSET', limit.key, 'used', used, 'at', limit.at)
    redis.call('PEXPIRE', limit.key, math.ceil(used / limit.max) + 1000)
  end
  return limit.used
end

-- Requests at a time: a lease for each, which ends by itself where its proxy no longer renews it.
local places = {}

function places.open(key, max, ended, is_asked)
  if ended then
    redis.call('ZREM', key, unpack(ended))
  end
  if not is_asked then
    return { left = 0 }
  end
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
  return { key = key, left = max - redis.call('ZCARD', key), leases = {} }
end

function places.close(limit, left)
  if left < limit.left then
    redis.call('ZADD', limit.key, unpack(limit.leases))
    redis.call('PEXPIRE', limit.key, call.leaseMs + 1000)
  end
  return limit.left
end

local kinds = { requests_per_minute = requests, tokens_per_minute = tokens, concurrent_requests = places }
local kind_of = {}
for i = 1, #KEYS - 1 do
  local word = call.limits[2 * i - 1]
  kind_of[i] = kinds[word]
  -- Before anything is written. What counts none of its requests lets all of them in.
  if not kind_of[i] then
    return redis.error_reply('GATEWAY_KIND no limit of the kind ' .. tostring(word) .. ' is counted here')
  end
end

-- Of each limit what is given back to it: corrections to tokens, leases to places.
local given_back = {}
local list, at = call.ended, 1
for _, lease in ipairs(call.endedLeases) do
  local last = at + 1 + list[at + 1]
  for i = at + 2, last do
    local limit = list[i]
    local given = given_back[limit] or {}
    given[#given + 1] = kind_of[limit] == tokens and list[at] or lease
    given_back[limit] = given
  end
  at = last + 1
end

for i = 1, #call.alone, 2 do
  local limit = call.alone[i]
  local given = given_back[limit] or {}
  given[#given + 1] = call.alone[i + 1]
  given_back[limit] = given
end

-- What is left of each, and whether it is left of tokens, so that all kinds are judged alike.
local limits, left, is_of_tokens, is_full = {}, {}, {}, {}
for i, kind in ipairs(kind_of) do
  limits[i] = kind.open(KEYS[i + 1], call.limits[2 * i], given_back[i], i <= call.asked)
  left[i], is_of_tokens[i] = limits[i].left, kind == tokens
end

local admitted = {}
list, at = call.begun, 1
for number, lease in ipairs(call.begunLeases) do
  local count, first, last = list[at], at + 2, at + 1 + list[at + 1]
  local is_admitted = true
  for i = first, last do
    local limit = list[i]
    if left[limit] < (is_of_tokens[limit] and count or 1) then
      is_full[limit] = true
      is_admitted = false
    end
  end
  admitted[number] = is_admitted and 1 or 0
  if is_admitted then
    for i = first, last do
      local limit = list[i]
      left[limit] = left[limit] - (is_of_tokens[limit] and count or 1)
      local leases = limits[limit].leases
      if leases then
        leases[#leases + 1] = now + call.leaseMs
        leases[#leases + 1] = lease
      end
    end
  end
  at = last + 1
end

local answer = { '"' .. table.concat(admitted) .. '"' }
for i, kind in ipairs(kind_of) do
  for _, figure in ipairs({ kind.close(limits[i], left[i], is_full[i]) }) do
    -- In all of its digits.
    answer[#answer + 1] = string.format('%.0f', figure)
  end
end
local text = '[' .. table.concat(answer, ',') .. ']'
redis.call('SET', KEYS[1], text, 'PX', ARGV[1] - now + 1)
return { 1, now, text }
