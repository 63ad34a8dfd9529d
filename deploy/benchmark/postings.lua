-- One posting a request, each with its own key, by a random person from one of their accounts:
-- KIND `own`: a transfer to another account of theirs; `others`: one to another person's, by IBAN;
-- `record`: a transaction.
-- ACCOUNTS names the file: a line is a token and that person's accounts, PAYEES that of the IBANs
-- of the same person in the same line. RUN makes keys unique.
-- Requests are joined here and answers counted by wrk itself: what the load costs, the suite lacks.
local threads, people = 0, {}
local kind = os.getenv("KIND")
local path = kind == "record" and "/v1/transactions" or "/v1/transfers"
local amount = '"amount":{"amount":"0.01","currency":"EUR"}'

function setup(thread)
    threads = threads + 1
    thread:set("number", threads)
end

local function words(line)
    local found = {}
    for word in line:gmatch("%S+") do found[#found + 1] = word end
    return found
end

function init()
    math.randomseed(number * 7919 + os.time())
    counter = 0
    for line in io.lines(os.getenv("ACCOUNTS")) do
        local person = words(line)
        people[#people + 1] = {
            head = "POST " .. path .. " HTTP/1.1\r\nHost: " .. wrk.headers["Host"]
                .. "\r\nAuthorization: Bearer " .. table.remove(person, 1)
                .. "\r\nContent-Type: application/json\r\nIdempotency-Key: "
                .. os.getenv("RUN") .. "-" .. number .. "-",
            accounts = person,
        }
    end
    if kind == "others" then
        local place = 0
        for line in io.lines(os.getenv("PAYEES")) do
            place = place + 1
            people[place].ibans = words(line)
        end
    end
end

-- One of `count`, but not `one`.
local function another(count, one)
    local other = math.random(count - 1)
    return other < one and other or other + 1
end

local bodies = {
    own = function(_, accounts, one)
        return '{"fromAccountId":"' .. accounts[one] .. '","toAccountId":"'
            .. accounts[another(#accounts, one)] .. '",' .. amount .. "}"
    end,
    others = function(who, accounts, one)
        local ibans = people[another(#people, who)].ibans
        return '{"fromAccountId":"' .. accounts[one] .. '","toIban":"'
            .. ibans[math.random(#ibans)] .. '",' .. amount .. "}"
    end,
    record = function(_, accounts, one)
        return '{"accountId":"' .. accounts[one] .. '","name":"Interest",' .. amount .. "}"
    end,
}

function request()
    local who = math.random(#people)
    local person = people[who]
    local body = bodies[kind](who, person.accounts, math.random(#person.accounts))
    counter = counter + 1
    return person.head .. counter .. "\r\nContent-Length: " .. #body .. "\r\n\r\n" .. body
end

function done(summary, latency)
    local refused = summary.errors.status
    io.write(string.format("Created: %d\nRefused: %d\nP99: %d us\n", summary.requests - refused,
        refused, latency:percentile(99)))
end
