enum SecretsPlaceholder {}
