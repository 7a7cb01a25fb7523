import Daemon
import Testing

@Suite struct SystemdNotifierTests {
    @Test(arguments: [
        (SystemdNotifier.Message.ready, "READY=1"),
        (.stopping, "STOPPING=1"),
        (.watchdog, "WATCHDOG=1"),
        (.reloading(monotonicMicroseconds: 17), "RELOADING=1\nMONOTONIC_USEC=17"),
        (.status("2 live session(s)"), "STATUS=2 live session(s)"),
        (.mainProcess(pid: 7), "MAINPID=7"),
    ])
    func `A message arrives as systemd reads it`(
        message: SystemdNotifier.Message, text: String
    ) throws {
        let inbox = try DatagramInbox()
        SystemdNotifier(environment: ["NOTIFY_SOCKET": inbox.path], processID: 1).send(message)
        #expect(inbox.next() == text)
    }

    @Test func `Messages sent together are one datagram`() throws {
        let inbox = try DatagramInbox()
        let notifier = SystemdNotifier(environment: ["NOTIFY_SOCKET": inbox.path], processID: 1)
        notifier.send(.ready, .status("listening"))
        #expect(inbox.next() == "READY=1\nSTATUS=listening")
        #expect(inbox.next() == nil)
    }

    @Test(arguments: [
        [:], ["NOTIFY_SOCKET": ""], ["NOTIFY_SOCKET": "/nowhere/notify"],
        ["NOTIFY_SOCKET": "/" + String(repeating: "long", count: 100)],
    ])
    func `Nobody listens and nothing happens`(environment: [String: String]) {
        SystemdNotifier(environment: environment, processID: 1).send(.ready)
    }

    @Test(
        arguments: [
            ([:], nil),
            (["WATCHDOG_USEC": "120000000"], 120),
            (["WATCHDOG_USEC": "120000000", "WATCHDOG_PID": "9"], 120),
            (["WATCHDOG_USEC": "120000000", "WATCHDOG_PID": "8"], nil),
            (["WATCHDOG_USEC": "0"], nil),
            (["WATCHDOG_USEC": "soon"], nil),
        ] as [([String: String], Double?)])
    func `The watchdog's time is taken where it is meant for us`(
        environment: [String: String], seconds: Double?
    ) {
        let notifier = SystemdNotifier(environment: environment, processID: 9)
        #expect(notifier.watchdogSeconds == seconds)
    }
}
