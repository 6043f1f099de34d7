/** A boolean in the database. */
export type BooleanColumn = 0 | 1
