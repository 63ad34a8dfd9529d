internal import CGlibcSystem
internal import Glibc
internal import Loops

/// A listening socket on its loop.
final class LoopListener {
    private let descriptor: Int32
    private let watch: DescriptorWatch
    private let loop: EventLoop
    private let taken: (Int32, sockaddr_storage) -> Void
    private var isOpen = true
    /// A bounded share of a turn, so that a flood of new ones cannot starve the others.
    private static let perTurnMax = 64
    private static let pauseNanoseconds: UInt64 = 100_000_000

    init(_ descriptor: Int32, loop: EventLoop, taken: @escaping (Int32, sockaddr_storage) -> Void) {
        self.descriptor = descriptor
        self.loop = loop
        self.taken = taken
        watch = DescriptorWatch(descriptor, on: loop, edgeTriggered: false)
        // Cannot fire: the server holds its listener, and `close` cancels the watch.
        watch.start(whenLoopEnds: { [unowned self] in end() }) { [unowned self] _ in
            accept(atMost: Self.perTurnMax)
        }
    }

    private func accept(atMost count: Int) {
        for _ in 0..<count {
            var storage = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            // Safety: the storage is as large and as aligned as any address.
            let accepted = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    unsafe ezwallet_accept4(descriptor, address, &length)
                }
            }
            if accepted >= 0 {
                taken(accepted, storage)
                continue
            }
            switch errno {
            case EAGAIN: return
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return pause()
            default: continue
            }
        }
    }

    /// Out of descriptors or memory: looks again a little later, not at every turn.
    private func pause() {
        watch.change(to: [])
        loop.schedule(afterNanoseconds: Self.pauseNanoseconds) { [weak self] in
            guard let self, isOpen else { return }
            watch.change(to: .readable)
        }
    }

    /// Accepts until nothing waits, for closing resets whatever does; then closes.
    func close() {
        guard isOpen else { return }
        accept(atMost: 1 << 20)
        end()
    }

    private func end() {
        guard isOpen else { return }
        isOpen = false
        watch.cancel()
        CGlibcSystem.close(descriptor)
    }
}

/// Lets a few TLS handshakes begin in each turn of the loop, so that a rush of them does not stall
/// the connections that stand.
final class HandshakeGate {
    private static let perTurnMax = 8
    // Cannot fire: the process holds its loops to its end.
    private unowned let loop: EventLoop
    private var turn: UInt64 = 0
    private var passed = 0

    init(on loop: EventLoop) { self.loop = loop }

    /// Waits for a turn in which there is room.
    func pass() async {
        while true {
            if turn != loop.now {
                turn = loop.now
                passed = 0
            }
            passed += 1
            if passed <= Self.perTurnMax { return }
            guard (try? await loop.sleep(nanoseconds: 1)) != nil else { return }
        }
    }
}
