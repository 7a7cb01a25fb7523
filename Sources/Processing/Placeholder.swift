enum ProcessingPlaceholder {}
