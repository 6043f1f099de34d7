/** What the tour did not expect. Its message is a sentence for the person who watches. */
export class UnexpectedResult extends Error {
  override readonly name = 'Surprise'
}

/** Goes on when the statement is true. @throws Surprise with the sentence otherwise */
export function expectThat(condition: boolean, failureMessage: string): asserts condition {
  if (!condition) throw new UnexpectedResult(failureMessage)
}
