internal import CCrack
internal import Glibc
internal import Synchronization

/// Passwords that an attacker tries first: words and their usual disguises.
///
/// Cost: some hundred microseconds and a few reads of a file: not on a loop.
/// Source: cracklib with its system's dictionary; NIST SP 800-63B, 5.1.1.2.
public enum CommonPasswords {
    /// cracklib works in buffers of its own, so that one thread at a time may ask.
    private static let turn = Mutex(())

    /// Whether the dictionary or the rules of cracklib have it; false where there is none.
    public static func contains(_ password: String) -> Bool {
        turn.withLock { _ in
            // Safety: cracklib copies the texts and answers with a literal of its own; a user is
            // named because it would else look for one in the machine's list, and give up.
            guard let dictionary = unsafe GetDefaultCracklibDict(),
                unsafe access(String(cString: dictionary) + ".pwd", R_OK) == 0
            else { return false }
            return unsafe FascistCheckUser(password, dictionary, "nobody", "") != nil
        }
    }
}
