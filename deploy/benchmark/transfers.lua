-- One transfer a request between two random accounts of a random person, each with its own key.
-- ACCOUNTS names the file: a line is a token and that person's accounts. RUN makes keys unique.
-- Requests are joined here and answers counted by wrk itself: what the load costs, the suite lacks.
local threads, people = 0, {}

function setup(thread)
    threads = threads + 1
    thread:set("number", threads)
end

function init()
    math.randomseed(number * 7919 + os.time())
    counter = 0
    for line in io.lines(os.getenv("ACCOUNTS")) do
        local person = {}
        for word in line:gmatch("%S+") do person[#person + 1] = word end
        people[#people + 1] = {
            head = "POST /v1/transfers HTTP/1.1\r\nHost: " .. wrk.headers["Host"]
                .. "\r\nAuthorization: Bearer " .. table.remove(person, 1)
                .. "\r\nContent-Type: application/json\r\nIdempotency-Key: "
                .. os.getenv("RUN") .. "-" .. number .. "-",
            accounts = person,
        }
    end
end

function request()
    local person = people[math.random(#people)]
    local accounts = person.accounts
    local one = math.random(#accounts)
    local other = math.random(#accounts - 1)
    if other >= one then other = other + 1 end
    counter = counter + 1
    local body = '{"fromAccountId":"' .. accounts[one] .. '","toAccountId":"' .. accounts[other]
        .. '","amount":{"amount":"0.01","currency":"EUR"}}'
    return person.head .. counter .. "\r\nContent-Length: " .. #body .. "\r\n\r\n" .. body
end

function done(summary, latency)
    local refused = summary.errors.status
    io.write(string.format("Created: %d\nRefused: %d\nP99: %d us\n", summary.requests - refused,
        refused, latency:percentile(99)))
end
