/// The last five seconds of cells, and where the present gait starts in them.
///
/// Power is compared in blocks of 0.2 s. If the last 0.8 s are much stronger or weaker than the 3 s
/// before, the earlier cells belong to another gait and leave the window. (A two-sided ratio test
/// for a change of variance; Page, Biometrika 41, 1954, for the idea.)
struct MotionWindow: Sendable {
    private static let capacity = 128
    private static let shortBlocks = 4
    private static let longBlocks = 15
    /// Cells of the moving mean that is subtracted before power is measured: about 1 s.
    private static let meanCells = 26

    private var cells = [SIMD4<Float>](repeating: .zero, count: capacity)
    private var powers = [Float](repeating: 0, count: 32)
    private var runningSum: Float = 0
    private var blockSum: Float = 0
    private var blockIndex = 0
    private let tuning: CadenceTuning

    /// Cells since the start of the grid.
    private(set) var count = 0
    /// First cell of the present gait.
    private(set) var start = 0
    /// Amplitude of the motion over the newest block, g.
    private(set) var blockAmplitude: Float = 0
    /// Amplitude of the motion over the last 0.8 s, g.
    private(set) var recentAmplitude: Float = 0

    init(tuning: CadenceTuning) {
        self.tuning = tuning
    }

    mutating func restart() {
        count = 0
        start = 0
        runningSum = 0
        blockSum = 0
        blockIndex = 0
        blockAmplitude = 0
        recentAmplitude = 0
    }

    /// - Parameters:
    ///   - cell: The three axes and their length.
    ///   - includesGravity: Whether rest is 1 g. The motion is then the length minus its mean,
    ///     otherwise the length itself.
    /// - Returns: Whether this cell ended a block, and whether that block showed a change.
    mutating func append(
        _ cell: SIMD4<Float>, includesGravity: Bool
    ) -> (endsBlock: Bool, changes: Bool) {
        if count == 0 {
            // The mean starts at the signal, as if the sensor had always had this value.
            runningSum = cell.w * Float(Self.meanCells)
            for index in 0..<Self.meanCells { cells[Self.capacity - 1 - index] = cell }
        }
        let leaving = cells[(count &- Self.meanCells) & (Self.capacity - 1)].w
        cells[count & (Self.capacity - 1)] = cell
        runningSum += cell.w - leaving
        count += 1
        let rest = includesGravity ? runningSum / Float(Self.meanCells) : 0
        let deviation = cell.w - rest
        blockSum += deviation * deviation
        guard count % CadenceTuning.blockCells == 0 else { return (false, false) }
        // The sum drifts by rounding, so each block recomputes it.
        runningSum = 0
        for back in 1...Self.meanCells { runningSum += cells[(count &- back) & 127].w }
        let power = blockSum / Float(CadenceTuning.blockCells)
        blockAmplitude = power.squareRoot()
        powers[blockIndex & 31] = power
        blockIndex += 1
        blockSum = 0
        return (true, detectChange())
    }

    private mutating func detectChange() -> Bool {
        let short = min(Self.shortBlocks, blockIndex)
        let recent = meanPower(endingAt: blockIndex, blocks: short)
        recentAmplitude = recent.squareRoot()
        let startBlock = start / CadenceTuning.blockCells
        let before = min(Self.longBlocks, blockIndex - short - startBlock)
        guard before >= Self.shortBlocks else { return false }
        let floor = tuning.changeFloor * tuning.changeFloor
        let past = meanPower(endingAt: blockIndex - short, blocks: before) + floor
        let present = recent + floor
        let isRun = max(recent, past) >= tuning.runAmplitude * tuning.runAmplitude
        let ratio = isRun ? tuning.runChangeRatio : tuning.changeRatio
        guard present > ratio * past || past > ratio * present else { return false }
        start = count - short * CadenceTuning.blockCells
        return true
    }

    private func meanPower(endingAt end: Int, blocks: Int) -> Float {
        var sum: Float = 0
        for block in (end - blocks)..<end { sum += powers[block & 31] }
        return sum / Float(max(1, blocks))
    }

    /// Keeps only the newest cells, a multiple of a block.
    mutating func cut(toCells cells: Int) {
        start = max(start, count - cells)
    }

    /// Cells that belong to the present gait, a multiple of a block and at most a full window.
    var usableCells: Int {
        var usable = count - start
        if start > 0 {
            usable = max(min(usable, tuning.settledCells), usable - tuning.transitionCells)
        }
        return min(CadenceTuning.windowCells, usable)
    }

    /// Cells since the change, including the transition; at most a full window.
    var gaitCells: Int { min(CadenceTuning.windowCells, count - start) }

    /// The cell `back` places back; 1 is the newest.
    func cell(back: Int) -> SIMD4<Float> {
        cells[(count &- back) & (Self.capacity - 1)]
    }
}
