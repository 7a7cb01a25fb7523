enum SharingTestsPlaceholder {}
