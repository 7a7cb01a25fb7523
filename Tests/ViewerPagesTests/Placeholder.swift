enum ViewerPagesTestsPlaceholder {}
