/**
 * Whether a name of a field, a header or a parameter is that of a secret, such as `access_token`. A name such as `tokens_used`
 * counts too: a value that is hidden without need does no harm.
 */
export function isSecretName(name: string): boolean {
  return /token|secret|passw|passphrase|api[-_]?key|private[-_]?key|credential|authorization|cookie|signature|assertion/i.test(
    name,
  )
}
