import type { Attempt, ListAttemptsQuery } from '../api-types.ts'
import { Group } from '../group.ts'
import type { List } from '../list.ts'
import type { RequestOptions } from '../send.ts'

/** Why connecting an account succeeded or failed. */
export class Attempts extends Group {
  /** The attempts, newest first. */
  list(query?: ListAttemptsQuery, options?: RequestOptions): List<Attempt> {
    return this.listPages('/attempt', query, options)
  }
}
