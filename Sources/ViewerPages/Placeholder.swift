enum ViewerPagesPlaceholder {}
