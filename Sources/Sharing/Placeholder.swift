enum SharingPlaceholder {}
