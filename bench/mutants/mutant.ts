/** A defect that someone could plant by mistake. */
export interface Defect {
  /** The source file, from the root of the repository. */
  readonly file: string
  /** Occurs once in the file. */
  readonly original: string
  readonly replacement: string
}

/** A defect and the test that finds it. */
export interface Mutant extends Defect {
  /** What the defect does, in a few words: unique. */
  readonly name: string
  readonly caughtBy: {
    readonly file: string
    /** The whole name of a test in it, or of a suite of which one has to fail. */
    readonly test: string
  }
}
