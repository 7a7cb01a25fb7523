"""What a phone would measure, given to the record page value by value, so that the test knows each.

A `Walk` makes the values, all on the grid of the wire. A `Phone` gives them to the page: positions by
Chromium's own emulation, motion as events, heart rates through an emulated Bluetooth radio, with the
browser's own chooser and GATT. Only the notification of a value is asked for instead: Chromium
cannot emulate one, and a value that is read comes to the page by the same event. `Phone.given` holds
what the page was given, in order.

The page's clocks are those of the walk, so time may pass faster than in life.
"""

import base64
import itertools
import json
import math
import struct

GRAVITY = 9.80665
HEART_RATE = "0000180d-0000-1000-8000-00805f9b34fb"
MEASUREMENT = "00002a37-0000-1000-8000-00805f9b34fb"
# "Connection failed to be established", Bluetooth Core Specification, Vol 1, Part F, 1.3.
UNREACHABLE = 0x3E
CLIENT_CONFIGURATION = "00002902-0000-1000-8000-00805f9b34fb"
# One radio is shared by all pages of a browser.
STRAP_NUMBERS = itertools.count(1)
BLUETOOTH = ("--enable-blink-features=WebBluetooth",)

# Before the page's own scripts: the clocks of the walk, and ways to give values with their times.
WORLD = """
(() => {
    const start = Number(localStorage.getItem("test.wall") ?? %d);
    const world = window.world = { wall: start, fixes: [], beats: 0 };
    const origin = start;
    Object.defineProperty(performance, "now", { value: () => world.wall - origin });
    Date.now = () => world.wall;
    world.set = (wall) => {
        world.wall = Math.max(world.wall, wall);
        localStorage.setItem("test.wall", world.wall);
    };

    const stamp = (event, wall) => Object.defineProperty(event, "timeStamp", { value: wall - origin });
    world.motion = (samples) => {
        for (const [wall, x, y, z, alpha, beta, gamma] of samples) {
            world.wall = wall;
            window.dispatchEvent(stamp(new DeviceMotionEvent("devicemotion", {
                accelerationIncludingGravity: { x, y, z }, rotationRate: { alpha, beta, gamma }, interval: 16 }), wall));
        }
        world.set(0);
    };
    world.press = (selector, wall, held) => {
        world.set(wall);
        const node = document.querySelector(selector);
        const type = held ? "pointerdown" : "click";
        node.dispatchEvent(stamp(new PointerEvent(type, { bubbles: true, detail: 1 }), wall));
    };
    const watch = navigator.geolocation.watchPosition.bind(navigator.geolocation);
    navigator.geolocation.watchPosition = (take, ...rest) => watch((position) => {
        Object.defineProperty(position, "timestamp", { value: world.wall });
        world.fixes.push([world.wall, position.coords.toJSON()]);
        take(position);
    }, ...rest);
    const request = navigator.bluetooth?.requestDevice.bind(navigator.bluetooth);
    if (request) {
        Object.defineProperty(navigator.bluetooth, "requestDevice", { value: (wish) => request(wish).catch((error) => {
            world.refusal = String(error);
            throw error;
        }) });
    }
    const find = window.BluetoothRemoteGATTService?.prototype.getCharacteristic;
    if (!find) return;
    BluetoothRemoteGATTService.prototype.getCharacteristic = async function (...rest) {
        const found = await find.apply(this, rest);
        world.strap = found;
        found.addEventListener("characteristicvaluechanged", (event) => {
            stamp(event, world.wall);
            world.beats += 1;
        });
        return found;
    };
})();
"""


class Walk:
    """A runner with known values. Times are whole milliseconds, motion comes each 16."""

    STEP = 16

    def __init__(self, start):
        self.start = start

    def fix(self, second):
        angle = second * 3.1 / 400
        return {
            "latitude": round(48.1 + 400 * math.sin(angle) / 111195, 7),
            "longitude": round(11.5 + 400 * math.cos(angle) / 74000, 7), "accuracy": 4.5,
            "altitude": round(512 + 8 * math.sin(angle * 3), 2), "altitudeAccuracy": 3.0,
            "heading": round(math.degrees(angle + math.pi / 2) % 360, 2), "speed": 3.1,
        }

    def beat(self, second):
        """A Heart Rate Measurement with contact and an RR interval."""
        rate = round(140 + 12 * math.sin(second / 40))
        return struct.pack("<BBH", 0x16, rate, round(60 / rate * 1024))

    def sample(self, index):
        """The wire's integers: 1/1024 g as the protocol counts them, 1/800 rad/s."""
        phase = 2 * math.pi * 2.8 * index * self.STEP / 1000
        return [round(350 * math.sin(phase / 2)), round(-900 + 560 * math.sin(phase)),
                round(180 * math.sin(phase + 1)), round(960 * math.sin(phase / 2)), index % 997 - 498, 160]


class Phone:
    """A browser that records, and the values that it was given."""

    def __init__(self, browser, base, walk):
        self.browser = browser
        self.base = base
        self.walk = walk
        self.given = []
        self.events = []
        self.page = None
        self.address = None  # Of the strap that is worn.
        browser.listener = lambda method, params: self.events.append((method, params))

    def open(self, path="/record", context=None):
        page = self.browser.open(f"{self.base}{path}", 390, 844, 2, touch=True, context=context,
                                 first=WORLD % self.walk.start)
        self.page = page
        original = page.take

        def take(method, params):
            if method.startswith("DeviceAccess."):
                self.events.append((method, params))
            original(method, params)

        page.take = take
        self.browser.send("Browser.grantPermissions", {
            "permissions": ["geolocation", "wakeLockScreen", "sensors"], "browserContextId": page.context})
        return page

    def _wear_strap(self):
        """Makes a strap that the radio finds, with an address of its own.

        The radio stays while the page does: Chromium 156 ends now and then when it is made anew while
        the page tries to reach a strap that was lost."""
        self.address = f"09:09:09:09:09:{next(STRAP_NUMBERS):02X}"
        strap = {"address": self.address, "name": "Test strap", "manufacturerData": [],
                 "knownServiceUuids": [HEART_RATE]}
        try:
            self.browser.send("BluetoothEmulation.simulatePreconnectedPeripheral", strap)
        except RuntimeError:  # There is no radio yet, or it went with the page that was there before.
            self.browser.send("BluetoothEmulation.disable")
            self.browser.send("BluetoothEmulation.enable", {"state": "powered-on", "leSupported": True})
            self.browser.send("BluetoothEmulation.simulatePreconnectedPeripheral", strap)

    def choose_strap(self, button):
        """Presses the button, chooses in the browser's own prompt, and lets the page connect.

        Each time to a new strap: an emulated one that was lost does not come back."""
        for _ in range(6):
            # The emulated radio now and then loses what is asked of it soon after it was made.
            self._wear_strap()
            self.page.call("DeviceAccess.enable")
            self.events.clear()
            # A radio that goes in the page's choice is a failure, which the page tells first.
            self.page.wait(button, 20)
            # The browser asks its own process whether there was a tap, which hears of it later.
            self.page.run("undefined", tapped=True)
            self.pump(0.3)
            self.page.run(f"{button}.click()", tapped=True)
            if self._serve(self._is_prompted, seconds=5):
                break
        else:
            refusal = self.page.run("world.refusal ?? 'the page did not ask'")
            raise TimeoutError(f"the browser's chooser did not open: {refusal}")
        prompt = self._prompt()
        self.events = [each for each in self.events if not each[0].startswith("DeviceAccess.")]
        self.page.call("DeviceAccess.selectPrompt", {"id": prompt, "deviceId": self.address})
        service = self.browser.send("BluetoothEmulation.addService", {
            "address": self.address, "serviceUuid": HEART_RATE})["serviceId"]
        characteristic = self.browser.send("BluetoothEmulation.addCharacteristic", {
            "serviceId": service, "characteristicUuid": MEASUREMENT,
            "properties": {"notify": True, "read": True}})["characteristicId"]
        self.browser.send("BluetoothEmulation.addDescriptor", {
            "characteristicId": characteristic, "descriptorUuid": CLIENT_CONFIGURATION})
        if not self._serve(lambda: self.page.run("Boolean(world.strap)")):
            raise TimeoutError("the page did not find the strap's heart rate")
        self.pump(0.3)

    def lose_strap(self):
        self.browser.send("BluetoothEmulation.simulateGATTDisconnection", {"address": self.address})

    def pump(self, seconds):
        for _ in range(max(1, round(seconds / 0.05))):
            self._answer()
            self.page.pump(0.05)

    def _serve(self, condition, data=None, seconds=20):
        """Answers the radio until the condition holds; whether it did in time."""
        for _ in range(round(seconds / 0.004)):
            self._answer(data)
            if condition():
                return True
            self.page.pump(0.004)
        return False

    def _is_prompted(self):
        """Whether the chooser is open and lists the strap."""
        return self._prompt() is not None

    def _prompt(self):
        for method, params in self.events:
            if method == "DeviceAccess.deviceRequestPrompted" and any(
                    each["id"] == self.address for each in params["devices"]):
                return params["id"]
        return None

    def _answer(self, data=None):
        waiting, self.events = self.events, []
        for method, params in waiting:
            if method == "BluetoothEmulation.gattOperationReceived":
                self.browser.send("BluetoothEmulation.simulateGATTOperationResponse", {
                    "address": params["address"], "type": params["type"],
                    "code": 0 if params["address"] == self.address else UNREACHABLE})
            elif method == "BluetoothEmulation.characteristicOperationReceived":
                value = {"data": base64.b64encode(data).decode()} if params["type"] == "read" and data else {}
                self.browser.send("BluetoothEmulation.simulateCharacteristicOperationResponse", {
                    "characteristicId": params["characteristicId"], "type": params["type"], "code": 0, **value})
            else:
                self.events.append((method, params))

    # What is measured.

    def second(self, number):
        """All that happens in one second of the walk."""
        start = self.walk.start + 1000 * number
        self.give_fix(number, start)
        self.give_motion(start, start + 500)
        self.give_beat(number, start + 500)
        self.give_motion(start + 500, start + 1000)

    def give_fix(self, number, wall):
        self.note_fixes()
        self.page.run(f"world.set({wall})")
        self.page.call("Emulation.setGeolocationOverride", self.walk.fix(number))
        self.page.wait("world.fixes.length > 0", 20)
        self.note_fixes()

    def note_fixes(self):
        """Also those that the browser gives by itself, as the last one after a reload."""
        for wall, place in self.page.run("world.fixes.splice(0)"):
            self.given.append(("location", wall, place))

    def give_motion(self, start, end):
        step = Walk.STEP
        first = -(-(start - self.walk.start) // step)
        samples = []
        while self.walk.start + first * step < end:
            wall = self.walk.start + first * step
            axes = self.walk.sample(first)
            samples.append([wall, *(-axis * GRAVITY / 1024 for axis in axes[:3]),
                            *(math.degrees(axis / 800) for axis in axes[3:])])
            self.given.append(("motion", wall, axes))
            first += 1
        self.page.run(f"world.motion({json.dumps(samples)})")

    def give_beat(self, number, wall):
        data = self.walk.beat(number)
        before = self.page.run(f"world.set({wall}), world.beats")
        self.page.run("void world.strap.readValue().catch(() => {})")
        if not self._serve(lambda: self.page.run("world.beats") > before, data):
            raise TimeoutError("the heart rate did not reach the page")
        self.given.append(("heartRate", wall, data))

    def press(self, selector, wall, action, held=False):
        self.page.run(f"world.press({json.dumps(selector)}, {wall}, {json.dumps(held)})")
        self.given.append(("control", wall + (1200 if held else 0), action))
