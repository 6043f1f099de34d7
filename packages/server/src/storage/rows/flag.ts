/** A boolean in the database. */
export type Flag = 0 | 1
