/** What the tour did not expect. Its message is a sentence for the person who watches. */
export class Surprise extends Error {
  override readonly name = 'Surprise'
}

/** Goes on when the statement is true. @throws Surprise with the sentence otherwise */
export function expectThat(statement: boolean, otherwise: string): asserts statement {
  if (!statement) throw new Surprise(otherwise)
}
