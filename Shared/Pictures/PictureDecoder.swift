internal import CGD
internal import CGlibcSystem

// Safety: images belong to one call, which destroys them; libgd is given bytes for one call.

/// Makes squares of a picture in this process, by libgd, which is opened at first use.
///
/// It runs in a process of its own (`RenderedPicture.serve`), for decoders have had their faults.
enum PictureDecoder {
    /// JPEGs of these sizes: cropped to the middle square, upright, on white, without metadata.
    ///
    /// Nil where the picture cannot be read.
    static func squares(_ bytes: [UInt8], _ sizes: [Int]) -> [[UInt8]]? {
        guard let header = PictureHeader(bytes), header.isModest, let largest = sizes.max() else {
            return nil
        }
        var gd = ezwallet_gd()
        guard unsafe ezwallet_gd_open(&gd) == 1 else { return nil }
        let decoded = unsafe ezwallet_gd_decode(
            &gd,
            CInt(header.format.rawValue),
            bytes,
            CInt(bytes.count)
        )
        guard let image = unsafe decoded else { return nil }
        defer { unsafe ezwallet_gd_destroy(&gd, image) }
        let (width, height) = unsafe (image.pointee.sx, image.pointee.sy)
        let side = min(width, height)
        guard
            let square = unsafe ezwallet_gd_square(
                &gd,
                image,
                (width - side) / 2,
                (height - side) / 2,
                side,
                CInt(largest)
            )
        else { return nil }
        defer { unsafe ezwallet_gd_destroy(&gd, square) }
        guard
            let upright = unsafe ezwallet_gd_turned(&gd, square, CInt(header.orientation))
        else { return nil }
        defer { unsafe ezwallet_gd_destroy(&gd, upright) }
        var made: [[UInt8]] = []
        for size in sizes {
            guard
                let scaled = unsafe ezwallet_gd_square(
                    &gd,
                    upright,
                    0,
                    0,
                    CInt(largest),
                    CInt(size)
                )
            else { return nil }
            defer { unsafe ezwallet_gd_destroy(&gd, scaled) }
            var count: CInt = 0
            guard let jpeg = unsafe ezwallet_gd_jpeg(&gd, scaled, &count) else { return nil }
            // libgd's own gdFree is free.
            defer { unsafe free(jpeg) }
            made.append(
                unsafe Array(UnsafeRawBufferPointer(start: jpeg, count: Int(count)))
            )
        }
        return made
    }
}
