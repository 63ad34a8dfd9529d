internal import Loops

extension EventConsumer {
    /// Adds an outcome to the numbers, and tells of what could not be applied, under its own trace.
    func count(_ outcome: InboxOutcome) async {
        held.applied += UInt64(outcome.applied)
        held.duplicates += UInt64(outcome.duplicates)
        held.parked += UInt64(outcome.parked)
        held.failures += UInt64(outcome.failed.count)
        held.buried += UInt64(outcome.buried.count)
        for (key, fault) in outcome.failed {
            await tell(fault) { durable, type in
                .eventFailed(
                    durable: durable,
                    type: type,
                    sequence: key.sequence,
                    cause: fault.cause
                )
            }
        }
        for (key, fault) in outcome.buried {
            await tell(fault) { durable, type in
                .eventBuried(
                    durable: durable,
                    type: type,
                    sequence: key.sequence,
                    cause: fault.cause
                )
            }
        }
        if outcome.applied > 0 { committed() }
    }

    private func tell(
        _ fault: InboxFault,
        _ event: (_ durable: String, _ type: String) -> MessagingEvent
    ) async {
        let told = event(configuration.durable, fault.type ?? "unknown")
        let context = RequestContext(
            deadline: .max,
            requestID: "event",
            traceparent: fault.traceParent
        )
        await RequestContext.with(context) { report(told) }
    }
}
