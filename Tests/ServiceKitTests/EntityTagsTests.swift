import Testing

@testable import ServiceKit

@Suite struct EntityTagsTests {
    @Test(arguments: [
        (["\"1\""], ["1"]), (["\"zzz\", \"1\""], ["zzz", "1"]), (["\"a\"", "\"b\""], ["a", "b"]),
        (["1"], ["1"]), (["1 , 2"], ["1", "2"]), (["W/\"1\""], []), (["W/\"1\", \"2\""], ["2"]),
        (["\"a,b\",\"c\""], ["a,b", "c"]), ([" ,, \"1\" ,"], ["1"]), (["\"1"], ["1"]), ([""], []),
        (["*, \"1\""], ["*", "1"]), (["\"\""], [""]),
    ])
    func aListNamesEachOfItsVersions(fields: [String], versions: [String]) {
        #expect(EntityTags(fields)?.versions == versions)
    }

    @Test func noneAndAnyAreNoCondition() {
        #expect(EntityTags([]) == nil)
        #expect(EntityTags(["*"]) == nil)
    }

    @Test func oneOfThemIsEnough() throws {
        let tags = try #require(EntityTags(["\"zzz\", \"1\""]))
        #expect(tags.contains("1"))
        #expect(!tags.contains("2"))
    }
}
