extension ErrorCode {
    /// What mostly helps, for a refusal that says nothing more of its own.
    ///
    /// `hasFields`: the refusal names bad fields.
    public func advice(hasFields: Bool = false) -> String {
        if hasFields { return "Correct the fields that «errors» names." }
        return Self.advice[text] ?? general
    }

    /// By what kind of refusal it is.
    private var general: String {
        switch status {
        case 401: "Sign in and repeat the call."
        case 403: "This needs a right that you do not have."
        case 404: "Nothing that you may see is at this address: check the identifiers."
        case 409: "The state forbids it: read the resource again for what can be done now."
        case 429: "Wait as long as Retry-After says, then repeat the call."
        case 500...: "Repeat the call later; if it fails again, tell us the traceId."
        default: "Correct the request and send it again."
        }
    }

    private static let advice = [
        "malformed-json": "Send one JSON object in UTF-8, each key once.",
        "invalid-query": "Correct the parameters that «errors» names.",
        "invalid-header": "Correct the header and send the request again.",
        "invalid-request": "Send a well-formed HTTP/1.1 request.",
        "idempotency-key-required":
            "Send an Idempotency-Key of your own making, a UUID for instance, and the "
            + "same one again when you repeat the call.",
        "unauthenticated": "Sign in and send the access token.",
        "forbidden": "This needs a right that you do not have: ask who can give it.",
        "step-up-required":
            "Prove who you are with POST /v1/challenges (purpose step-up) or "
            + "POST /v1/passkeys/proofs, then repeat the call.",
        "not-found": "Nothing that you may see is at this address: check the identifiers.",
        "method-not-allowed": "Use one of the methods that Allow names.",
        "request-timeout": "Send the whole request without long pauses.",
        "precondition-failed": "Read the resource again and repeat the change with its new ETag.",
        "body-too-large": "Send less at once.",
        "uri-too-long": "Shorten the path or the query.",
        "unsupported-media-type":
            "Send the body in a media type that the document names for this call.",
        "invalid-body": "Correct the fields that «errors» names.",
        "idempotency-key-reused": "Use a new Idempotency-Key for a new request.",
        "idempotency-key-in-use": "Wait a moment and repeat the call with the same key.",
        "too-many-requests": "Wait as long as Retry-After says, then repeat the call.",
        "headers-too-large": "Send fewer or shorter headers.",
        "not-implemented": "Use a method of the document.",
        "expectation-failed": "Leave Expect out, or let it be 100-continue.",
        "http-version-not-supported": "Use HTTP/1.1.",
        "internal-error": "Repeat the call later; if it fails again, tell us the traceId.",
        "bad-gateway": "Repeat the call, one that changes something with the same Idempotency-Key.",
        "unavailable": "Wait as long as Retry-After says, then repeat the call.",
        "gateway-timeout":
            "Repeat the call, one that changes something with the same Idempotency-Key.",
        "limit-exceeded":
            "Spend less, or ask a parent for a higher limit "
            + "(PUT /v1/families/me/children/{userId}/limits).",
        "last-parent": "Let another member become a parent first.",
        "category-limited": "Ask a parent to end the limit first.",
        "approval-required":
            "Ask with POST /v1/families/me/approvals; the purchase is booked when a parent "
            + "approves it.",
        "already-settled":
            "Take back first what was paid for it, or let it stand as it is.",
        "posting-withdrawn": "Post it anew, under another id.",
        "posting-outdated": "Read what is posted, and send a higher version.",
        "part-of-expense":
            "Change the expense with PATCH /v1/groups/{id}/expenses/{expenseId}; the transaction "
            + "follows.",
        "already-decided": "Read the request again for what became of it.",
        "too-many-approvals": "Wait until a parent has decided, or withdraw one.",
        "pair-group": "Name the group first, and it is one as any other.",
        "settlement-state": "Have the money paid back, and write that down.",
        "settlement-given-up": "Settle again, with a new Idempotency-Key.",
        "email-taken": "Sign in with this address, or use another one.",
        "username-taken": "Choose another username.",
        "phone-taken": "Use another number.",
        "wrong-credentials": "Check identifier and password, or recover the password.",
        "locked-out": "Wait as long as Retry-After says before you try again.",
        "wrong-code": "Enter the newest code that you were sent.",
        "challenge-exhausted": "Begin again to be sent a new code.",
        "challenge-expired": "Begin again to be sent a new code.",
        "refresh-token-reused": "Sign in again: for safety the session has ended.",
        "invalid-refresh-token": "Sign in again.",
        "wrong-password": "Enter the current password.",
        "same-password": "Choose a password that you do not have now.",
        "link-expired": "Ask for a new link with POST /v1/email-verifications.",
        "already-verified": "There is nothing left to do.",
        "channel-unavailable": "Choose another channel, or verify this one first.",
        "user-disabled": "Ask an administrator to open the account again.",
        "recovery-expired": "Begin the recovery again.",
        "accounts-not-empty": "Empty the accounts that hold money first.",
        "last-admin": "Make somebody else an administrator first.",
        "invalid-passkey": "Try again with a passkey that is registered here.",
        "passkey-taken": "Use the passkey as it is, or register another one.",
        "too-many-passkeys": "Remove a passkey that you no longer use first.",
        "totp-enabled": "Switch the second factor off before you set up another one.",
        "totp-not-enabled": "Set the second factor up first.",
        "last-credential": "Set a password or add a passkey first.",
        "identity-taken": "Sign in with this identity, or link another one.",
        "sign-in-expired": "Begin the sign-in again, in one browser.",
        "unreadable-picture": "Send a whole JPEG, PNG or WebP picture.",
        "account-name-taken": "Choose another name.",
        "account-not-empty": "Move the money elsewhere first.",
        "last-account": "Open another account first.",
        "too-many-members": "Remove a member first.",
        "allowance-account": "Leave this to the child's family.",
        "account-closed": "Use an account that is open.",
        "account-kind": "Use an account of another kind.",
        "category-name-taken": "Choose another name.",
        "envelope-name-taken": "Choose another name.",
        "default-category": "Use a category of your own.",
        "category-depth": "Choose a category of the first level.",
        "already-important": "There is nothing left to do.",
        "not-important": "There is nothing left to do.",
        "too-many-accounts": "Close an account that you no longer need first.",
        "too-many-recurrences": "Delete a recurrence that you no longer need first.",
        "too-many-standing-orders": "Delete a standing order that you no longer need first.",
        "too-many-folders": "Delete a folder that you no longer need first.",
        "too-many-import-rules": "Delete a rule that you no longer need first.",
        "too-many-imports": "Commit or discard an import first.",
        "insufficient-funds": "Send less, or put money into the account first.",
        "balance-overflow": "Use smaller amounts.",
        "balances-do-not-tie":
            "Compare the file with the bank's own list; acceptBalances takes it as it is.",
        "import-failed": "Import the file again, or a part of it at a time.",
        "part-of-transfer":
            "Send the money back with POST /v1/transfers: a transfer cannot be changed.",
        "hold-ended": "Read its state with GET /v1/transfers/{id}.",
        "undo-expired": "Record the transaction again with POST /v1/transactions.",
        "resync-required": "Read everything again: GET /v1/changes without `since`.",
        "quote-expired": "Get a new quote with POST /v1/quotes.",
        "quote-used": "Get a new quote with POST /v1/quotes.",
        "unknown-iban": "Check the IBAN.",
        "amount-too-small": "Send a larger amount.",
        "rate-stale":
            "Try again once newer rates have been fetched, or move money in one currency.",
        "rate-unavailable": "Choose another currency, or say the amount in the account's.",
        "currency-mismatch": "Say the amount in the account's currency.",
        "transfer-state": "Read the transfer for what can be done with it now.",
        "import-state": "Read the import for what can be done with it now.",
        "unreadable-file": "Export the statement again and send the whole file.",
        "unreadable-attachment": "Send the whole file again.",
        "too-many-attachments": "Remove an attachment first.",
        "attachment-space-exhausted": "Remove attachments first.",
        "amount-too-large": "Use a smaller amount.",
        "unknown-format": "Send the file in a format that the document names.",
        "unknown-measure": "Ask for a measure that the document names.",
        "account-number-required": "Say which of the file's accounts is meant.",
        "default-group": "Make a group of its own for that.",
        "group-not-empty":
            "Leave the group with DELETE /v1/groups/{id}/members/{memberId}, or remove the others "
            + "first.",
        "user-not-found": "Check the name or the address.",
        "member-has-left":
            "Invite them again first, or leave what they owe and are owed as it is.",
        "not-agreed": "Wait until the other person agrees, or ask them to.",
        "user-blocked": "End the block first.",
        "already-member": "There is nothing left to do.",
        "already-invited": "Wait for the answer, or withdraw the invitation.",
        "unsettled-balance":
            "Settle the open balance with POST /v1/groups/{id}/settlements, or send `force=true`.",
        "nothing-to-settle": "There is nothing left to do.",
        "settlement-too-large": "Settle at most what is open.",
        "no-receiving-account":
            "Ask the creditor to name an account with PUT /v1/receiving-accounts/{currency}.",
    ]
}
