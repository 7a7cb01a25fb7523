enum WireFormatPlaceholder {}
