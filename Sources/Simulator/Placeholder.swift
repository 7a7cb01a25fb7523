enum SimulatorPlaceholder {}
