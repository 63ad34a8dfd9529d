import ServiceKit

/// The settings of notifications.
enum NotificationsVariables {
    static let smtpURL = Variable(
        "EZWALLET_SMTP_URL",
        "mail server: smtp://host:port or smtps://host:port",
        default: "smtp://127.0.0.1:25"
    )
    static let smtpUser = Variable("EZWALLET_SMTP_USER", "user at the mail server")
    static let smtpPassword = Variable(
        "EZWALLET_SMTP_PASSWORD",
        "password at the mail server",
        secret: true
    )
    static let smtpStartTLS = Variable(
        "EZWALLET_SMTP_STARTTLS",
        "whether mail goes without TLS where none is offered",
        kind: .choice(["if-offered", "required"]),
        default: "if-offered"
    )
    static let mailFrom = Variable(
        "EZWALLET_MAIL_FROM",
        "sender of mails",
        default: "ezwallet@localhost.localdomain"
    )
    static let smsURL = Variable(
        "EZWALLET_SMS_URL",
        "SMS provider: takes POST of JSON with `to` and `text`"
    )
    static let smsToken = Variable(
        "EZWALLET_SMS_TOKEN",
        "bearer token of the SMS provider",
        secret: true
    )

    static let all: [Variable] = [
        CommonVariables.sealingSecret, smtpURL, smtpUser, smtpPassword, smtpStartTLS, mailFrom,
        smsURL, smsToken,
    ]
}
