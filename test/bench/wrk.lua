-- wrk <options> -s wrk.lua <url> -- <body file> <header> <value> …: posts the body, prints one line of JSON at the end.
function init(args)
  local file = assert(io.open(args[1], "rb"))
  wrk.method = "POST"
  wrk.body = file:read("*a")
  file:close()
  for i = 2, #args, 2 do
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
