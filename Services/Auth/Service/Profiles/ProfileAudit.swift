import ServiceKit
import WalletProtocol

/// What the audit log keeps of changes of profiles: which fields, never what is in them.
///
/// What an administrator asks for is told by the administration; what comes into force, by whoever
/// has it do so.
enum ProfileAudit {
    /// What a person changed of their own: a new address waits, all else is in force.
    static func entries(of changed: ChangedProfile, from origin: AuditOrigin) -> [AuditEntry] {
        let (old, new) = (changed.before, changed.profile)
        let actor = AuditActor.user(old.id)
        var entries: [AuditEntry] = []
        if let asked = new.pendingEmail, asked != old.pendingEmail {
            entries.append(
                AuditEntry(
                    .userChanged,
                    by: actor,
                    of: old.id,
                    detail: ["fields": ["email"], "waits": true],
                    from: origin
                )
            )
        }
        entries += inForce(from: old, to: new, by: actor, from: origin)
        return entries
    }

    /// What is another way from now on, of that by which a person is known or reached.
    static func inForce(
        from old: Profile,
        to new: Profile,
        by actor: AuditActor,
        from origin: AuditOrigin
    ) -> [AuditEntry] {
        var entries: [AuditEntry] = []
        if old.email != new.email {
            entries.append(AuditEntry(.emailChanged, by: actor, of: old.id, from: origin))
        }
        if old.phone != new.phone {
            entries.append(AuditEntry(.phoneChanged, by: actor, of: old.id, from: origin))
        }
        var fields: [JSONTree] = []
        if old.username != new.username { fields.append("username") }
        if old.firstName != new.firstName { fields.append("firstName") }
        if old.lastName != new.lastName { fields.append("lastName") }
        guard !fields.isEmpty else { return entries }
        entries.append(
            AuditEntry(
                .userChanged,
                by: actor,
                of: old.id,
                detail: ["fields": .array(fields)],
                from: origin
            )
        )
        return entries
    }

    /// What an administrator wanted and the person did not.
    static func rejected(_ change: PendingChange, from origin: AuditOrigin) -> AuditEntry {
        AuditEntry(
            .requestRefused,
            by: .user(change.user),
            of: change.user,
            detail: [
                "action": .string(AuditAction.userChanged.rawValue),
                "fields": [.string(change.field.rawValue)],
            ],
            from: origin
        )
    }
}
