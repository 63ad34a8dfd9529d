import Postgres
import ServiceKit
import WalletProtocol

// Conditions, each of which a row meets by itself.
extension TransactionListStatements {
    /// All but the one that the source brings.
    ///
    /// Days, amounts or a place may bound the index that is walked; whatever else there is, is
    /// written so that no other index can serve it: it would be walked in the wrong order.
    static func conditions(
        _ filter: TransactionFilter,
        without source: TransactionFilter.Source?,
        _ walked: Walked,
        _ bounded: TransactionFilter.Source,
        _ builder: inout StatementBuilder
    ) {
        if bounded == .days {
            days(filter, walked, &builder)
        } else if filter.from != nil || filter.to != nil {
            builder.append(" and (true")
            days(filter, .plain, &builder)
            builder.append(") is true")
        }
        if bounded == .amounts {
            amounts(filter, &builder)
        } else if filter.hasAmounts {
            builder.append(" and (true")
            amounts(filter, &builder)
            builder.append(") is true")
        }
        if !filter.accounts.isEmpty, source != .accounts, source != .amounts, source != .located {
            builder.append(" and (t.account_id = any ($1)) is true", filter.accounts)
        }
        if filter.isLocated, source != .located {
            builder.append(" and (t.latitude is not null) is true")
        }
        if !filter.categories.isEmpty, source != .categories {
            builder.append(
                """
                 and case when t.is_split then exists (
                    select from ledger.transaction_line as part
                    where part.transaction_id = t.id and part.version = t.version
                        and part.category_id = any ($1)
                ) else t.category_id = any ($1) end
                """,
                filter.categories
            )
        }
        if filter.folder != nil, source != .folder { inFolder(filter, &builder) }
        if !filter.tags.isEmpty, source != .tags {
            builder.append(
                """
                 and case when t.tags <> '{}' then exists (
                    select from ledger.transaction_tag as word
                    where word.user_id = t.user_id and word.tag = any ($1) and word.day = t.day
                        and word.transaction_id = t.id
                ) end
                """,
                filter.tags
            )
        }
        if let near = filter.near {
            if bounded == .place {
                builder.append(near)
            } else {
                builder.append(" and (true")
                builder.append(near)
                builder.append(") is true")
            }
        }
        if filter.search != nil, source != .words { SearchStatements.matches(filter, &builder) }
    }

    /// By itself or by a category, of somebody who is in the folder.
    private static func inFolder(_ filter: TransactionFilter, _ builder: inout StatementBuilder) {
        builder.append(
            " and (t.user_id = any ($2) and (t.folder_id = $1",
            filter.folder,
            filter.people
        )
        if !filter.folderCategories.isEmpty {
            builder.append(
                """
                 or case when t.is_split then exists (
                    select from ledger.transaction_line as part
                    where part.transaction_id = t.id and part.version = t.version
                        and part.category_id = any ($1)
                ) else t.category_id = any ($1) end
                """,
                filter.folderCategories.map(\.categoryID)
            )
        }
        builder.append(")) is true")
    }

    static func days(
        _ filter: TransactionFilter,
        _ walked: Walked,
        _ builder: inout StatementBuilder
    ) {
        if let from = filter.from {
            switch walked {
            case .plain: builder.append(" and t.day >= $1", from)
            case .line: builder.append(" and line.day >= $1", from)
            case .tag: builder.append(" and tag.day >= $1", from)
            }
        }
        if let to = filter.to {
            switch walked {
            case .plain: builder.append(" and t.day <= $1", to)
            case .line: builder.append(" and line.day <= $1", to)
            case .tag: builder.append(" and tag.day <= $1", to)
            }
        }
    }

    static func amounts(_ filter: TransactionFilter, _ builder: inout StatementBuilder) {
        switch filter.direction {
        case .incoming:
            builder.append(" and t.amount >= $1", filter.least ?? 0)
            if let most = filter.most { builder.append(" and t.amount <= $1", most) }
        case .outgoing:
            builder.append(" and t.amount <= $1", -max(filter.least ?? 1, 1))
            if let most = filter.most { builder.append(" and t.amount >= $1", -most) }
        case nil:
            if let least = filter.least, least > 0 {
                builder.append(" and (t.amount >= $1 or t.amount <= -$1::bigint)", least)
            }
            if let most = filter.most {
                builder.append(" and t.amount between -$1::bigint and $1", most)
            }
        }
    }
}
