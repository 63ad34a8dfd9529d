import Testing
import WalletProtocol

@Suite struct ObjectTests {
    @Test func readsInAnyOrderAndWritesInItsOwn() throws {
        let text =
            #"{"nested":{"flag":true,"lat":1.5},"amount":{"currency":"JPY","amount":"12"},"#
            + #""name":"a\u00e9\ud83d\ude00","note":null,"tags":["x"]}"#
        let sample = try reading(Sample.self, text).get()
        #expect(sample.name == "aé😀")
        #expect(sample.amount == Money(minorUnits: 12, .jpy))
        #expect(sample.note == .cleared)
        #expect(sample.count == 7)
        #expect(
            JSON.text(sample)
                == #"{"name":"aé😀","amount":{"amount":"12","currency":"JPY"},"count":7,"#
                + #""tags":["x"],"kind":"small","note":null,"nested":{"lat":1.5,"flag":true}}"#
        )
    }

    @Test func namesEveryBadFieldAtOnce() {
        let text =
            #"{"name":"","amount":{"amount":"1.5","currency":"EUR"},"day":"2026-02-30","#
            + #""id":"x","count":101,"tags":["a",1,"c\u0000"],"kind":"huge","note":5,"#
            + #""nested":{"lat":91,"extra":1},"a/b":1}"#
        #expect(
            faults(Sample.self, text) == [
                "/name too-short", "/amount/amount invalid-amount", "/day invalid-day",
                "/id invalid-id", "/count out-of-range", "/tags/1 wrong-type",
                "/tags/2 invalid-character", "/kind unknown-value", "/note wrong-type",
                "/nested/lat out-of-range", "/nested/flag required", "/nested/extra unknown-field",
                "/a~1b unknown-field",
            ]
        )
        #expect(faults(Sample.self, "{}") == ["/name required", "/amount required"])
        #expect(faults(Sample.self, "[]") == [" wrong-type"])
    }
}
