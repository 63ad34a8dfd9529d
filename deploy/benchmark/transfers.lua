-- One transfer a request between two random accounts of a random person, each with its own key.
-- ACCOUNTS names the file: a line is a token and that person's accounts. RUN makes keys unique.
local threads, people = {}, {}

function setup(thread)
    thread:set("number", #threads + 1)
    table.insert(threads, thread)
end

function init()
    created, refused, counter = 0, 0, 0
    math.randomseed(number * 7919 + os.time())
    for line in io.lines(os.getenv("ACCOUNTS")) do
        local words = {}
        for word in line:gmatch("%S+") do words[#words + 1] = word end
        people[#people + 1] = words
    end
    run = os.getenv("RUN")
end

function request()
    local words = people[math.random(#people)]
    local one = math.random(2, #words)
    local other = math.random(2, #words - 1)
    if other >= one then other = other + 1 end
    counter = counter + 1
    return wrk.format("POST", "/v1/transfers", {
        ["Authorization"] = "Bearer " .. words[1],
        ["Content-Type"] = "application/json",
        ["Idempotency-Key"] = run .. "-" .. number .. "-" .. counter,
    }, '{"fromAccountId":"' .. words[one] .. '","toAccountId":"' .. words[other]
        .. '","amount":{"amount":"0.01","currency":"EUR"}}')
end

function response(status)
    if status == 201 then created = created + 1 else refused = refused + 1 end
end

function done(summary, latency)
    local all, wrong = 0, 0
    for _, thread in ipairs(threads) do
        all = all + thread:get("created")
        wrong = wrong + thread:get("refused")
    end
    io.write(string.format("Created: %d\nRefused: %d\nP99: %d us\n", all, wrong,
        latency:percentile(99)))
end
