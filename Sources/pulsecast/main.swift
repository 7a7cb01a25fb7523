print("pulsecast")
