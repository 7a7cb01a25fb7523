import CHardware

/// The viewers of one feed, in the order of writing. Loop only.
///
/// For each send the kernel uses more memory than the first-level cache holds, so a broadcast would
/// wait for memory at each viewer. The viewers' addresses lie in one array here, so that the next
/// viewers are prefetched while the kernel sends.
struct ViewerList {
    private(set) var viewers: [Viewer] = []
    private var places: [Place] = []

    private struct Place {
        let viewer: UInt
        let sink: UInt

        init(_ viewer: Viewer) {
            self.viewer = UInt(bitPattern: ObjectIdentifier(viewer))
            sink = UInt(bitPattern: ObjectIdentifier(viewer.sink))
        }
    }

    mutating func add(_ viewer: Viewer) {
        viewers.append(viewer)
        places.append(Place(viewer))
    }

    /// Removes a viewer. Another may take its place in the order.
    mutating func remove(_ viewer: Viewer) {
        guard let index = viewers.firstIndex(where: { $0 === viewer }) else { return }
        viewers.swapAt(index, viewers.count - 1)
        viewers.removeLast()
        places.swapAt(index, places.count - 1)
        places.removeLast()
    }

    /// - Parameters:
    ///   - range: Indices of ``viewers``.
    ///   - body: Called for each viewer.
    func forEach(in range: Range<Int>, _ body: (Viewer) -> Void) {
        for index in range {
            if index + 1 < places.count {
                let next = places[index + 1]
                pulsecast_prefetch(next.viewer, 3)
                pulsecast_prefetch(next.sink, 2)
            }
            body(viewers[index])
        }
    }
}
