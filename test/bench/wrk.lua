-- wrk <options> -s wrk.lua <url> -- <body file> <pause in ms> <header> <value> …: posts the body, prints one line of JSON at the end.
-- Before each request a connection rests, up to the pause; its latency does not count that.
function init(args)
  local file = assert(io.open(args[1], "rb"))
  wrk.method = "POST"
  wrk.body = file:read("*a")
  file:close()
  local pause = tonumber(args[2])
  if pause > 0 then
    delay = function() return math.random(0, pause) end
  end
  for i = 3, #args, 2 do
    wrk.headers[args[i]] = args[i + 1]
  end
end

function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"microseconds":%d,"refused":%d,"broken":%d,"p50":%d,"p99":%d}\n',
    summary.requests, summary.duration, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50), latency:percentile(99)))
end
