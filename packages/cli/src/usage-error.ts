/** The exit code of an operator's command that was typed wrongly. */
export const OPERATOR_USAGE = 64

/** A command that was typed wrongly. The message never contains a value that was given. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  /** 2; an operator's command has 64, as where the service runs it. */
  readonly exitCode: number

  constructor(message: string, exitCode: 2 | typeof OPERATOR_USAGE = 2) {
    super(message)
    this.exitCode = exitCode
  }
}
