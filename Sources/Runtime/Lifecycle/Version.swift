/// The released version, as `--version` and `/healthz` print it.
public enum Version {
    public static let text = "0.1.0"
}
