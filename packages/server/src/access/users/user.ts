import type { Id } from '../../platform/storage/id.ts'
export type UserId = Id<'usr'>

/** A user, who owns workspaces. Times are epoch milliseconds. */
export interface User {
  readonly userId: UserId
  /** As given. Emails that differ only in letter case count as equal. */
  readonly email: string
  readonly firstname: string
  readonly lastname: string
  readonly createdAt: number
  readonly updatedAt: number
}
