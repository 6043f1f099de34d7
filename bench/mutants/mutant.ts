/** A defect that someone could plant by mistake, and the test that finds it. */
export interface Mutant {
  /** What the defect does, in a few words: unique. */
  readonly name: string
  /** The source file, from the root of the repository. */
  readonly file: string
  /** Occurs once in the file. */
  readonly original: string
  readonly replacement: string
  readonly caughtBy: {
    readonly file: string
    /** The whole name of a test in it, or of a suite of which one has to fail. */
    readonly test: string
  }
}
