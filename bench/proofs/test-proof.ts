/** Something that must hold whatever happens, and tests that try to break it. */
export interface Proof {
  /** As in `npm run proof -- NAME`. */
  readonly name: string
  /** What holds: a sentence. */
  readonly promise: string
  /** What is done against it: a sentence. */
  readonly attack: string
  /** After that it is stopped, and has failed. */
  readonly limitMinutes: number
  /** Asserts how fast something is: nothing else runs meanwhile. */
  readonly isTimed?: true
  /** Waits more than it computes: when all proofs run, those that are not timed run beside it. */
  readonly isLong?: true
}

/** Tests at full length: the same files as in `npm test` with larger numbers, or files that are too long for it. */
export interface TestProof extends Proof {
  readonly files: readonly string[]
  /** Many short files, which load the product once. Default: a process for each file. */
  readonly sharesProcess?: true
  /** The full length. A variable of the caller's environment takes precedence. */
  readonly environment: Readonly<Record<string, string>>
  /** What differs when all proofs run, so that they take an hour together. Default: nothing. */
  readonly brief?: Readonly<Record<string, string>>
}

export const SERVER_TESTS = 'packages/server/test'
