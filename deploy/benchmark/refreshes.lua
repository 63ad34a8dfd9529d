-- One refresh a request: each thread has its share of the tokens in TOKENS, presents the one that
-- has waited longest and keeps its successor.
local threads = {}

function setup(thread)
    thread:set("number", #threads + 1)
    table.insert(threads, thread)
end

function init()
    created, refused, first, last = 0, 0, 1, 0
    tokens = {}
    local line_number = 0
    for line in io.lines(os.getenv("TOKENS")) do
        line_number = line_number + 1
        if line_number % 2 == number % 2 then
            last = last + 1
            tokens[last] = line
        end
    end
end

function request()
    local token = tokens[first]
    tokens[first] = nil
    first = first + 1
    return wrk.format("POST", nil, { ["Content-Type"] = "application/json" },
        '{"refreshToken":"' .. token .. '"}')
end

function response(status, headers, body)
    if status == 201 then
        created = created + 1
        last = last + 1
        tokens[last] = body:match('"refreshToken":"([^"]+)"')
    else
        refused = refused + 1
    end
end

function done()
    local all, wrong = 0, 0
    for _, thread in ipairs(threads) do
        all = all + thread:get("created")
        wrong = wrong + thread:get("refused")
    end
    io.write(string.format("Created: %d\nRefused: %d\n", all, wrong))
end
