import type { Id } from '../../platform/storage/id.ts'
import type { BrandText } from '../../platform/ui/brand-text.ts'

export type WorkspaceId = Id<'wsp'>

/** A workspace of a user, to which everything else belongs. Times are epoch milliseconds. */
export interface Workspace {
  readonly workspaceId: WorkspaceId
  readonly userId: Id<'usr'>
  /** Unique among the workspaces of its user. */
  readonly slug: string
  /** The name that customers see; empty if it has none. */
  readonly name: string
  readonly settings: StoredSettings
  readonly initialSetupComplete: boolean
  readonly anonymousDataCollection: boolean
  readonly createdAt: number
  readonly updatedAt: number
  readonly deletedAt: number | null
}

/** The settings that a workspace has made, without defaults. */
export interface StoredSettings {
  readonly theme?: Theme
  /** Exact URLs that pages may redirect to. */
  readonly allowedRedirectURLs?: readonly string[]
  /** Origins that may embed the connect page. */
  readonly allowedFrameOrigins?: readonly string[]
}

/** The appearance of the pages of a workspace. */
export interface Theme {
  /** Such as `#3366ff`. */
  readonly accentColor?: string
  readonly logoUrl?: string
  readonly privacyUrl?: string
  readonly termsUrl?: string
  /** Whether the pages say "Secured by Linchpin"; absent: yes. */
  readonly showFooter?: boolean
  /** Of the card, in pixels; smaller elements follow in proportion. */
  readonly cornerRadius?: number
  /** Own texts of the connect page: `default`, and translations by language. */
  readonly texts?: {
    readonly introduction?: BrandText
    readonly success?: BrandText
    readonly support?: BrandText
  }
}
