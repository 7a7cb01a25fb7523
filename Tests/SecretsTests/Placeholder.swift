enum SecretsTestsPlaceholder {}
