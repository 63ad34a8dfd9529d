/// Why bytes are not the archive that was expected.
package enum ZipError: Error, Hashable, Sendable {
    /// Cut off, several disks, or not an archive at all.
    case malformed
    /// So many entries: none, more than are read, or others than the one that was expected.
    case entries(Int)
    /// A method other than deflate and none, or encrypted.
    case unsupported(method: Int)
    /// The entry is, or says that it is, longer than what is taken.
    case tooLarge(Int)
    /// The compressed data are no deflate stream of the length that the directory tells.
    case corrupt
    /// The contents are not those that were packed.
    case checksum
}
