-- What every script begins with. Time is Redis's own. ARGV[1] is the time after which nothing is done any more: whoever asked
-- has stopped waiting by then, and may have gone on without Redis.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if now > tonumber(ARGV[1]) then
  return { -1, now }
end
