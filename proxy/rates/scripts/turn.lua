-- One batch of a proxy: releases for the requests that have ended, then admits those that begin, in order. Each of them
-- gets its part of all of its limits or of none. Each limit is read once, changed here for all requests, and written
-- once.
-- A batch that runs twice takes effect once: KEYS[1] contains its result. KEYS[2…]: the limits, none twice. ARGV: not
-- after; then in JSON `leaseMs`, `limits` (kind and maximum of each), `asked` (how many of the limits are of requests
-- that begin: the first ones), `ended` (for each request the tokens above its estimate or, negative, below it, the
-- number of limits that this changes, and their positions), `begun` (for each request its tokens, the number of its
-- limits, and their positions), `endedLeases` and `begunLeases` (their names), `alone` (positions of limits, and for
-- each the requests or tokens that were admitted while Redis did not respond). Optional: `want` (positions of limits,
-- and for each the requests or tokens that the proxy would lease), `back` (of leases that end with this call: the
-- position of the limit, the second of the lease, its size, and what was not used).
-- Returns 1, now, and in JSON: for each request that begins 1 (admitted) or 0 (refused), in one text; then the state of
-- each limit before them: for requests the remaining number, milliseconds until it opens if it was found full, and
-- milliseconds until all of it remains; for tokens the used parts; for slots the remaining number. With `want`: then
-- what each lease got, and the time at which they were counted.
--
-- A lease is counted in full when it is taken, and its proxy uses it before this second ends by this clock. So what was
-- used is counted in the second in which it was used, and only what was not used has to be subtracted.
local known = redis.call('GET', KEYS[1])
if known then
  return { 1, now, known }
end
local call = cjson.decode(ARGV[2])
local second_now = math.floor(now / 1000)
local until_next = (second_now + 1) * 1000 - now

-- A lease is at most a quarter of what was free, with what the call needed itself, so that others find some. It is
-- smaller if the second ends before a quarter of it has passed.
local function lease_of(want, free, left)
  local usable = math.floor(want * math.min(1, until_next / 250))
  return math.max(0, math.min(usable, math.floor(free / 4) - (free - left)))
end

-- Requests: one cell for each second, the current one and the sixty before it. The oldest counts whole. `count` is
-- their sum.
local cells = 61
local requests = {}

function requests.open(key, max, alone, _, back)
  local second = second_now
  local state = redis.call('HMGET', key, 'second', 'count', second % cells)
  local last, count, running = tonumber(state[1]) or second, tonumber(state[2]) or 0, tonumber(state[3]) or 0
  -- Fields of past cells, each followed by its new value; by cell, what is left of those to which leases return.
  local past, returned = {}, {}
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
  for _, lease in ipairs(back or {}) do
    -- A cell that has left the ring is not counted, and one after `last` was lost.
    if lease.second == second then
      local unused = math.min(lease.unused, running)
      count, running = count - unused, running - unused
    elseif lease.second <= last and lease.second > second - cells then
      local cell = lease.second % cells
      local taken = returned[cell] or tonumber(redis.call('HGET', key, cell)) or 0
      local unused = math.min(lease.unused, taken)
      count, returned[cell] = count - unused, taken - unused
    end
  end
  for cell, taken in pairs(returned) do
    past[#past + 1] = cell
    past[#past + 1] = taken
  end
  for _, more in ipairs(alone or {}) do
    count, running = count + more, running + more
  end
  return {
    key = key, max = max, second = second, last = last, count = count, running = running, past = past, returned = returned,
    left = max - count, resets = (second + cells) * 1000 - now,
    -- Its expiry was set in this second, and is later than that of any cell.
    is_kept = state[1] and last == second_now,
    is_changed = alone or back,
  }
end

-- The limit opens when enough of the oldest cells are past. Cells since `last` are empty.
local function opens_in(limit, left)
  local order = {}
  for second = limit.second - cells + 1, math.min(limit.last, limit.second - 1) do
    order[#order + 1] = second % cells
  end
  local stored = #order > 0 and redis.call('HMGET', limit.key, unpack(order)) or {}
  for i, taken in ipairs(stored) do
    left = left + (limit.returned[order[i]] or taken or 0)
    if left > 0 then
      return (limit.second + i) * 1000 - now
    end
  end
  return limit.resets
end

function requests.close(limit, left, is_full, want)
  local opens = is_full and opens_in(limit, left) or 0
  -- While the clock is set back, a request would be counted in another second than the present one.
  local extra = limit.second == second_now and lease_of(want, limit.left, left) or 0
  local taken = limit.left - left + extra
  if taken > 0 or limit.second > limit.last or limit.is_changed then
    local count, cell, running = limit.count + taken, limit.second % cells, limit.running + taken
    redis.call('HSET', limit.key, 'second', limit.second, 'count', count, cell, running, unpack(limit.past))
    if not limit.is_kept then
      redis.call('PEXPIRE', limit.key, (cells + 1) * 1000)
    end
  end
  return { limit.left, opens, limit.resets }, extra
end

-- Tokens: a bucket, stored as its used part, so that a changed limit changes nothing else. It is in sixty-thousandths
-- of a token: a limit of L releases L of them each millisecond, and all counts are whole numbers. A debt is at most
-- that of an hour.
-- `lent` is leased until the time `till` and not returned yet. At that time at least as much is used: otherwise a full
-- bucket and the leases together would be more than the limit.
local part = 60000
local debt_ms = 3600000
local tokens = {}

function tokens.open(key, max, corrections, _, back)
  local state = redis.call('HMGET', key, 'used', 'at', 'lent', 'till')
  local used, at = tonumber(state[1]) or 0, tonumber(state[2]) or now
  -- Nothing is released if time goes back.
  if now > at then
    used = math.max(0, used - (now - at) * max)
    at = now
  end
  for _, correction in ipairs(corrections or {}) do
    used = math.max(0, math.min(used + correction * part, debt_ms * max))
  end
  local lent, till = tonumber(state[3]) or 0, tonumber(state[4]) or 0
  if till <= now then
    lent = 0
  end
  for _, lease in ipairs(back or {}) do
    used = math.max(0, used - lease.unused * part)
    if (lease.second + 1) * 1000 == till then
      lent = math.max(0, lent - lease.size)
    end
  end
  -- A clock that was set back makes no lease longer.
  local least = lent > 0 and lent * part + math.min(1000, till - now) * max or 0
  used = math.max(used, least)
  return {
    key = key, max = max, used = used, at = at, left = math.floor((max * part - used) / part),
    lent = lent, till = till, is_changed = corrections or back,
  }
end

function tokens.close(limit, left, _, want)
  local extra = lease_of(want, limit.left, left)
  local taken = limit.left - left + extra
  if taken > 0 or limit.is_changed then
    local used, fields = limit.used + taken * part, {}
    if extra > 0 then
      local lent, till = limit.lent + extra, now + until_next
      used = math.max(used, lent * part + until_next * limit.max)
      fields = { 'lent', lent, 'till', till }
    elseif limit.is_changed and limit.till > 0 then
      fields = { 'lent', limit.lent }
    end
    redis.call('HSET', limit.key, 'used', used, 'at', limit.at, unpack(fields))
    redis.call('PEXPIRE', limit.key, math.ceil(used / limit.max) + 1000)
  end
  return { limit.used }, extra
end

-- Concurrent requests: a lease for each, which expires if its proxy no longer renews it.
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
  return { limit.left }, 0
end

local kinds = { requests_per_minute = requests, tokens_per_minute = tokens, concurrent_requests = places }
local kind_of = {}
for i = 1, #KEYS - 1 do
  local word = call.limits[2 * i - 1]
  kind_of[i] = kinds[word]
  -- Checked before anything is written: a limit that counts no requests would admit all of them.
  if not kind_of[i] then
    return redis.error_reply('GATEWAY_KIND no limit of the kind ' .. tostring(word) .. ' is counted here')
  end
end

-- The releases of each limit: corrections of tokens, leases of slots.
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

local returned_of = {}
for i = 1, #(call.back or {}), 4 do
  local limit = call.back[i]
  local leases = returned_of[limit] or {}
  leases[#leases + 1] = { second = call.back[i + 1], size = call.back[i + 2], unused = call.back[i + 3] }
  returned_of[limit] = leases
end

-- The rest of each limit, and whether it is in tokens, so that all kinds are checked alike.
local limits, left, is_of_tokens, is_full = {}, {}, {}, {}
for i, kind in ipairs(kind_of) do
  limits[i] = kind.open(KEYS[i + 1], call.limits[2 * i], given_back[i], i <= call.asked, returned_of[i])
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

local want_of = {}
for i = 1, #(call.want or {}), 2 do
  want_of[call.want[i]] = call.want[i + 1]
end

local response = { '"' .. table.concat(admitted) .. '"' }
local function add(figure)
  -- With all of its digits.
  response[#response + 1] = string.format('%.0f', figure)
end
local extra_of = {}
for i, kind in ipairs(kind_of) do
  local figures, extra = kind.close(limits[i], left[i], is_full[i], want_of[i] or 0)
  for _, figure in ipairs(figures) do
    add(figure)
  end
  extra_of[i] = extra
end
if call.want then
  for i = 1, #call.want, 2 do
    add(extra_of[call.want[i]])
  end
  add(now)
end
local text = '[' .. table.concat(response, ',') .. ']'
redis.call('SET', KEYS[1], text, 'PX', ARGV[1] - now + 1)
return { 1, now, text }
