internal import JSONCodec

extension OpenAPI {
    /// `info.description`: what a client developer needs before the first call, in Markdown.
    static let introduction = """
        One API for a person's money, alone and with others. Amounts are exact, every write can \
        be repeated safely, and every refusal says what to do.

        ## Signing in
        `POST /v1/users` registers and `POST /v1/sessions` logs in. Both return an access token \
        (an ES256 JSON Web Token, valid for one hour) and a refresh token (valid for seven days). \
        Send the access token as `Authorization: Bearer …`. `POST /v1/sessions/refresh` returns \
        the next pair of tokens. A replaced refresh token works for ten more seconds; after that \
        it ends the session. A browser that sends its own `Origin` gets the cookies \
        `__Host-access` and `__Host-refresh` instead of tokens in the body.

        ## Recent authentication
        Some calls need a log-in, code, passkey or password that is at most ten minutes old. \
        Examples are deleting the account, changing an e-mail address, exporting data, and \
        sending more than a configured sum within 24 hours. Such a call returns 403 \
        `step-up-required`. Get a new proof (`POST /v1/challenges` with the purpose `step-up`, or \
        `POST /v1/passkeys/proofs`), then repeat the same call with the same key.

        ## Roles
        A user has one or more roles. `user` owns accounts, groups and everything else of their \
        own. `admin` also administers users, and sees nobody's money. `coo` reads insights. The \
        security of an operation names the role where it needs one.

        ## Money
        An amount is `{"amount":"-12.50","currency":"EUR"}`: a decimal string with exactly as \
        many decimals as ISO 4217 gives the currency (JPY 0, EUR 2, KWD 3), never a JSON number. \
        **Signs follow one rule everywhere.** `amount`, `balance`, `net` and the balances of \
        groups are signed: minus is money out, or money that the person owes. Fields whose name \
        tells the direction (`in`, `out`, `income`, `expenses`, `spent`, `paid`, `owed`) are \
        magnitudes: zero or more, unless more came back than went out. The shares of an expense \
        have the sign of its amount.

        ## Times
        Instants are RFC 3339 in UTC, days are `YYYY-MM-DD`, months are `YYYY-MM`. «Today» is the \
        day in the user's time zone.

        ## Repeating calls safely
        Every POST accepts an `Idempotency-Key` of your own choice, for example a UUID; some \
        require it. The same key with the same body returns the first response again, with the \
        header `Idempotency-Replayed: true`. The same key with another body is 422 \
        `idempotency-key-reused`. Repeat a call whose response was lost, and any 502, 503 or 504, \
        with the same key. Keys are stored for at least 24 hours. Calls that return tokens ignore \
        the header.

        ## Lists
        A list returns `{"items":[…],"nextCursor":"…"}`. Pass `nextCursor` as `cursor` to get the \
        next page; the last page has no `nextCursor`. `limit` is 1 to 200, by default 50. A page \
        can hold fewer items than `limit` and still have a `nextCursor`. A query parameter that \
        takes several values is repeated: `?tag=a&tag=b`.

        ## Versions
        A single resource has an `ETag`. Send it as `If-Match` with PATCH, PUT and DELETE; when \
        somebody else changed the resource meanwhile, the call returns 412 \
        `precondition-failed`. PATCH merges: a field that is left out stays as it is, and `null` \
        clears an optional field.

        ## Limits
        429 has a `Retry-After` in seconds; every answer has `RateLimit` and `RateLimit-Policy`. \
        A body may be at most 64 KiB unless the operation says otherwise.

        ## Errors
        An error is `application/problem+json` (RFC 9457). `code` is stable and is the field to \
        branch on; `detail` is a sentence for people; `traceId` finds the request in the \
        operator's logs. Branch on `code` and not on `title` or `detail`. A 400 \
        `invalid-query` or 422 `invalid-body` lists every bad field in `errors`, each with a \
        `pointer` (a JSON pointer into the body, `query:name` or `header:name`) and a `code`:

        | field code | meaning |
        |---|---|
        \(FieldCode.all.map { "| `\($0.text)` | \($0.meaning) |" }.joined(separator: "\n"))
        """
}
