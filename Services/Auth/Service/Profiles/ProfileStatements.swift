import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of changes of profiles; each statement names the index that serves it.
enum ProfileStatements {
    /// Whoever changes a person comes here first, and reads afterwards.
    static let lock = Statement(
        by: "user_account_pkey",
        """
        select id
        from auth.user_account
        where id = $1
        limit 1
        for update
        """
    ) { row in try row.value(0, as: ID<User>.self) }

    static let change = Statement<Void>(
        by: "user_account_pkey",
        """
        update auth.user_account
        set username = $2, username_folded = coalesce($3, username_folded),
            username_skeleton = coalesce($4, username_skeleton), first_name = $5, last_name = $6,
            date_of_birth = $7, phone = $8, area = $9, theme = $10, language = $11, currency = $12,
            date_format = $13, time_zone = $14, month_start = $15,
            username_folded_skeleton = coalesce($16, username_folded_skeleton),
            version = version + 1
        where id = $1
        """
    )

    /// Which of these somebody else has; null asks for none.
    static let taken = Statement(
        by:
            "user_account_email_, user_account_username_, user_account_phone_key",
        """
        select
            exists (select from auth.user_account where email_folded = $2 and id <> $1),
            exists (select from auth.user_account where username_folded = $3 and id <> $1)
                or exists (
                    select from auth.user_account where username_skeleton = $4 and id <> $1)
                or exists (
                    select from auth.user_account
                    where username_folded_skeleton = $6 and id <> $1),
            exists (select from auth.user_account where phone = $5 and id <> $1)
        """
    ) { row in try TakenNames(email: row.bool(0), username: row.bool(1), phone: row.bool(2)) }

    /// An address that has been proved.
    static let setVerifiedEmail = Statement<Void>(
        by: "user_account_pkey",
        """
        update auth.user_account
        set email = $2, email_folded = $3, email_verified_at = now(), version = version + 1
        where id = $1
        """
    )

    /// An administrator's address, which is still to be proved.
    static let setEmail = Statement<Void>(
        by: "user_account_pkey",
        """
        update auth.user_account
        set email = $2, email_folded = $3, email_verified_at = null, email_given_at = now(),
            version = version + 1
        where id = $1
        """
    )

    static let setPhone = Statement<Void>(
        by: "user_account_pkey",
        "update auth.user_account set phone = $2, version = version + 1 where id = $1"
    )

    /// What is shown of it is another, though none of its columns.
    static let touch = Statement<Void>(
        by: "user_account_pkey",
        "update auth.user_account set version = version + 1 where id = $1"
    )

    static let markVerified = Statement<Void>(
        by: "user_account_pkey",
        """
        update auth.user_account
        set email_verified_at = coalesce(email_verified_at, now()), version = version + 1
        where id = $1
        """
    )

    /// Names from before there were skeletons.
    static let withoutSkeleton = Statement(
        by: "user_account_username_skeleton_key",
        """
        select id, username
        from auth.user_account
        where username_skeleton is null
        order by username_skeleton, id
        limit 100
        """
    ) { row in try (row.value(0, as: ID<User>.self), row.string(1)) }

    static let setSkeleton = Statement<Void>(
        by: "user_account_pkey",
        """
        update auth.user_account
        set username_skeleton = $2
        where id = $1 and username_skeleton is null
        """
    )

    /// Names from before there were skeletons of folded names.
    static let withoutFoldedSkeleton = Statement(
        by: "user_account_username_folded_skeleton_key",
        """
        select id, username
        from auth.user_account
        where username_folded_skeleton is null
        order by username_folded_skeleton, id
        limit 100
        """
    ) { row in try (row.value(0, as: ID<User>.self), row.string(1)) }

    static let setFoldedSkeleton = Statement<Void>(
        by: "user_account_pkey",
        """
        update auth.user_account
        set username_folded_skeleton = $2
        where id = $1 and username_folded_skeleton is null
        """
    )
}

/// Which of a person's names somebody else has.
struct TakenNames: Sendable, Hashable {
    var email = false
    var username = false
    var phone = false

    /// The 409 that names every one of them; nil where none is taken.
    var refusal: APIError? {
        var code: ErrorCode?
        var errors: [FieldError] = []
        for (isTaken, name, named) in [
            (email, "email", ErrorCode.emailTaken), (username, "username", .usernameTaken),
            (phone, "phone", .phoneTaken),
        ] where isTaken {
            code = code ?? named
            errors.append(FieldError(pointer: "/" + name, code: .conflict, detail: "is taken"))
        }
        return code.map { APIError($0, errors: errors) }
    }

    /// What a violated constraint says is taken.
    init?(_ error: DatabaseError) {
        switch error.violatedConstraint {
        case "user_account_email_key": email = true
        case "user_account_username_key", "user_account_username_skeleton_key",
            "user_account_username_folded_skeleton_key":
            username = true
        case "user_account_phone_key": phone = true
        default: return nil
        }
    }

    init(email: Bool, username: Bool, phone: Bool) {
        self.email = email
        self.username = username
        self.phone = phone
    }
}
