/** A command that was typed wrongly: exit code 2. The message never contains a value that was given. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
