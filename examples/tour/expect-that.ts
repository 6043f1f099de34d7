/** A result that differs from what the tour expects. The message is a sentence for the reader of the output. */
export class UnexpectedResult extends Error {
  override readonly name = 'UnexpectedResult'
}

/** Asserts the condition. @throws UnexpectedResult with the message when it is false */
export function expectThat(condition: boolean, failureMessage: string): asserts condition {
  if (!condition) throw new UnexpectedResult(failureMessage)
}
