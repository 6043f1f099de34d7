/** What the search of the documentation finds: a page, a section, an operation or a schema. */
export interface SearchEntry {
  readonly title: string
  /** Where it is, or how an operation is called. */
  readonly detail: string
  /** Below `/docs`, with the fragment. */
  readonly url: string
  /** Further words by which it is found. */
  readonly words?: string | undefined
}
