import FuzzDriver

try FuzzDriver.run(FuzzTarget.self)
