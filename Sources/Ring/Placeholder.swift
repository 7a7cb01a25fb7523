enum RingPlaceholder {}
