public import Postgres
public import WalletProtocol

extension StatementBuilder {
    /// Rows of `t` within so many kilometres.
    ///
    /// By the latitude's bounds, then on the sphere (haversine); its degrees are `latitude` and
    /// `longitude`, in millionths.
    public mutating func append(_ near: TransactionVicinity) {
        // A degree of latitude is 111.19 km on the sphere of 6,371.0088 km (IUGG's mean radius).
        let degrees = near.kilometres / 111.19 + 0.000_001
        append(
            " and t.latitude between $1 and $2",
            Int32(((near.latitude - degrees) * 1_000_000).rounded(.down)),
            Int32(((near.latitude + degrees) * 1_000_000).rounded(.up))
        )
        append(
            """
             and 2 * 6371.0088 * asin(least(1, sqrt(
                sin(radians(t.latitude / 1e6::float8 - $1) / 2) ^ 2
                + cos(radians($1)) * cos(radians(t.latitude / 1e6::float8))
                    * sin(radians(t.longitude / 1e6::float8 - $2) / 2) ^ 2
            ))) <= $3
            """,
            near.latitude,
            near.longitude,
            near.kilometres
        )
    }
}
