/** Something that is wrong, and what the operator can do about it. */
export interface Finding {
  /** What was checked. */
  readonly check: 'files' | 'structure' | 'schema' | 'keys' | 'sealed values' | 'contents' | 'rows'
  /** Where: a file, a table, or a row as `table/id`. */
  readonly subject: string
  /** A sentence. */
  readonly problem: string
  /** A sentence: what to do. */
  readonly remedy: string
}

export type Report = (finding: Finding) => void
