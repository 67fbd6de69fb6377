-- The start of every script. Time is Redis's own. ARGV[1] is the time after which a script does nothing: the caller has
-- stopped waiting by then, and may have continued without Redis.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if now > tonumber(ARGV[1]) then
  return { -1, now }
end
