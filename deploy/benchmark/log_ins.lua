-- One log-in a request, of a random person. EMAILS names the file of addresses.
local threads, emails = {}, {}

function setup(thread)
    thread:set("number", #threads + 1)
    table.insert(threads, thread)
end

function init()
    created, refused = 0, 0
    math.randomseed(number * 7919 + os.time())
    for line in io.lines(os.getenv("EMAILS")) do emails[#emails + 1] = line end
    password = os.getenv("PASSWORD")
end

function request()
    return wrk.format("POST", nil, { ["Content-Type"] = "application/json" },
        '{"identifier":"' .. emails[math.random(#emails)] .. '","password":"' .. password .. '"}')
end

function response(status)
    if status == 201 then created = created + 1 else refused = refused + 1 end
end

function done()
    local all, wrong = 0, 0
    for _, thread in ipairs(threads) do
        all = all + thread:get("created")
        wrong = wrong + thread:get("refused")
    end
    io.write(string.format("Created: %d\nRefused: %d\n", all, wrong))
end
