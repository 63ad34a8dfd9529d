-- Bodies that were written before: BODIES names the file, a line is a path, a token and a body,
-- parted by tabs. Each request is a random line of it, with its own key; RUN makes keys unique.
local threads, lines = 0, {}

function setup(thread)
    threads = threads + 1
    thread:set("number", threads)
end

function init()
    math.randomseed(number * 7919 + os.time())
    counter = 0
    for line in io.lines(os.getenv("BODIES")) do
        local path, token, body = line:match("^(%S+)\t(%S+)\t(.*)$")
        lines[#lines + 1] = {
            head = "POST " .. path .. " HTTP/1.1\r\nHost: " .. wrk.headers["Host"]
                .. "\r\nAuthorization: Bearer " .. token
                .. "\r\nContent-Type: application/json\r\nIdempotency-Key: "
                .. os.getenv("RUN") .. "-" .. number .. "-",
            rest = "\r\nContent-Length: " .. #body .. "\r\n\r\n" .. body,
        }
    end
end

function request()
    local one = lines[math.random(#lines)]
    counter = counter + 1
    return one.head .. counter .. one.rest
end

function done(summary, latency)
    local refused = summary.errors.status
    io.write(string.format("Created: %d\nRefused: %d\nP99: %d us\n", summary.requests - refused,
        refused, latency:percentile(99)))
end
