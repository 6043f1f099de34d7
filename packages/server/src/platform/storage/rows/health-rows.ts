import type { Id } from '../id.ts'

/** What is known of a definition in one workspace; with the workspace `''`, in all. Times are epoch milliseconds. */
export interface DefinitionHealthRow {
  definition_id: Id<'def'>
  workspace_id: Id<'wsp'> | ''
  /** Since when its rejections are not believed; null if they are. */
  suspect_since: number | null
  /** The accounts whose rejections made it suspect, as JSON. */
  suspects: string
  /** When its rejections were last found to be true, or declared so: earlier ones do not make it suspect again. */
  trusted_at: number | null
  /** When the next account is checked to find out whether the provider distinguishes again; null unless suspect. */
  next_probe_at: number | null
  /** With the workspace `''`: when the next check may be sent. */
  next_check_at: number | null
  /** Until when the provider has asked for no checks; null if it never has. */
  paused_until: number | null
}
